#include "render/describe.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "render/letters.h"

namespace ringside::render {

namespace {

// A reader has enough of a name after this.
constexpr std::size_t most_letters = 300;

std::string named(const std::string& mark, const std::string& label, const std::string& place) {
    std::string text = mark;
    for (const std::string& word : {label, place}) {
        if (!word.empty()) text += (text.empty() ? "" : " ") + word;
    }
    if (text.size() > most_letters) text = text.substr(0, most_letters) + "...";
    return clean(text);
}

std::string value_text(const std::optional<double>& value, const std::string& note) {
    if (value && std::isfinite(*value)) return fmt::format("{:.4g}", *value);
    return note.empty() ? "not measured" : "not measured, " + clean(note);
}

std::string in_words(const model::Figure& figure, const model::Bars& bars) {
    std::string text;
    for (const auto& group : bars.groups) {
        text += named(group.mark, group.label, group.place) + ":";
        for (std::size_t i = 0; i < std::min(group.bars.size(), figure.series.size()); ++i) {
            text += fmt::format(" {} {};", clean(figure.series[i]),
                                value_text(group.bars[i].value, group.bars[i].note));
        }
        text += group.stressed ? " significant.\n" : "\n";
    }
    return text;
}

std::string in_words(const model::Figure& figure, const model::Parts& parts) {
    std::string text;
    for (const auto& part : parts.parts) {
        text += named(part.mark, part.label, part.place) + ":";
        for (std::size_t i = 0; i < std::min(part.values.size(), figure.series.size()); ++i) {
            text += fmt::format(" {} {};", clean(figure.series[i]), value_text(part.values[i], ""));
        }
        text += "\n";
    }
    return text;
}

std::string in_words(const model::Figure& figure, const model::Timeline& timeline) {
    std::string text;
    for (const auto& strip : timeline.strips) {
        text += clean(strip.axis) + ":";
        for (std::size_t i = 0; i < std::min(strip.lines.size(), figure.series.size()); ++i) {
            double most = 0;
            std::size_t known = 0;
            for (const auto& moment : strip.lines[i]) {
                if (!moment.value || !std::isfinite(*moment.value)) continue;
                most = std::max(most, *moment.value);
                ++known;
            }
            text += known == 0 ? fmt::format(" {} not measured;", clean(figure.series[i]))
                               : fmt::format(" {} {} readings in {:.4g} s, at most {:.4g};",
                                             clean(figure.series[i]), known,
                                             strip.lines[i].back().at_s, most);
        }
        text += "\n";
    }
    return text;
}

}  // namespace

std::string describe(const model::Figure& figure) {
    const std::string head = figure.axis.empty() ? "" : clean(figure.axis) + "\n";
    return head + std::visit([&](const auto& content) { return in_words(figure, content); },
                             figure.content);
}

}  // namespace ringside::render
