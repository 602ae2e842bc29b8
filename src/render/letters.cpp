#include "render/letters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/visible.h"

namespace ringside::render {

namespace {

constexpr double ascent = 0.76;  // of the font's size
constexpr double descent = 0.24;

// In thousandths of the font's size.
class LetterWidths {
  public:
    LetterWidths() {
        const auto rows = base::parse_csv(base::embedded_file("render/letter_widths.csv").value());
        for (const auto& row : rows) {
            if (row.size() != 4 || row[0] == "first") continue;
            ranges_.push_back(
                {number(row[0], 16), number(row[1], 16), number(row[2], 10), number(row[3], 10)});
        }
    }

    double of(char32_t letter, bool bold) const {
        const auto after = std::upper_bound(
            ranges_.begin(), ranges_.end(), letter,
            [](char32_t value, const Range& range) { return value < range.first; });
        if (after != ranges_.begin() && letter <= std::prev(after)->last) {
            return bold ? std::prev(after)->bold : std::prev(after)->regular;
        }
        constexpr char32_t combining_first = 0x300;
        constexpr char32_t combining_last = 0x36f;
        constexpr char32_t first_wide = 0x1100;  // Hangul, then the East Asian scripts
        if (letter >= combining_first && letter <= combining_last) return 0;
        return letter >= first_wide ? 1000 : 800;
    }

  private:
    struct Range {
        std::uint32_t first;
        std::uint32_t last;
        std::uint32_t regular;
        std::uint32_t bold;
    };
    static std::uint32_t number(const std::string& text, int base) {
        const auto value = base::parse_u64(text, base);
        RINGSIDE_ASSERT(value.has_value());
        return static_cast<std::uint32_t>(*value);
    }
    std::vector<Range> ranges_;
};

const LetterWidths& letter_widths() {
    static const LetterWidths widths;
    return widths;
}

// Where each letter of clean text begins, and how wide the text is up to there; its end included.
struct Steps {
    std::vector<std::size_t> begin;
    std::vector<double> width;

    Steps(std::string_view text, Font font) {
        double sum = 0;
        for (std::size_t at = 0; at < text.size();) {
            begin.push_back(at);
            width.push_back(sum);
            const std::size_t bytes = std::max<std::size_t>(1, base::letter_bytes(text.substr(at)));
            sum += letter_widths().of(base::letter_value(text.substr(at), bytes), font.bold) *
                   font.size / 1000;
            at += bytes;
        }
        begin.push_back(text.size());
        width.push_back(sum);
    }
};

}  // namespace

std::string clean(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t bytes = base::letter_bytes(text);
        const char32_t value = bytes == 0 ? 0 : base::letter_value(text, bytes);
        // XML 1.0, section 2.2; and what nobody sees.
        const bool drawable = base::is_seen(value) && value != 0xfffe && value != 0xffff;
        if (drawable) {
            result += text.substr(0, bytes);
        } else {
            result += value == '\n' || value == '\t' ? ' ' : '?';
        }
        text.remove_prefix(std::max<std::size_t>(1, bytes));
    }
    return result;
}

double text_width(std::string_view text, Font font) {
    return Steps(text, font).width.back();
}

std::string shortened(std::string_view text, Font font, double width) {
    const Steps steps(text, font);
    const double all = steps.width.back();
    if (all <= width) return std::string(text);
    const std::string_view dots = "\u2026";
    const double room = std::max(0.0, width - text_width(dots, font));
    const auto after_head =
        std::upper_bound(steps.width.begin(), steps.width.end(), room * 0.6) - 1;
    const double head_width = *after_head;
    const auto tail =
        std::lower_bound(steps.width.begin(), steps.width.end(), all - (room - head_width));
    const auto place = [&](auto step) {
        return steps.begin[static_cast<std::size_t>(step - steps.width.begin())];
    };
    return std::string(text.substr(0, place(after_head))) + std::string(dots) +
           std::string(text.substr(place(tail)));
}

std::vector<std::string> wrapped(std::string_view text, Font font, double width, std::size_t most) {
    std::vector<std::string> lines;
    const auto words = base::split_words(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string longer =
            lines.empty() ? std::string(words[i]) : lines.back() + " " + std::string(words[i]);
        const bool begins = lines.empty();
        if (!begins && text_width(longer, font) <= width) {
            lines.back() = longer;
        } else if (lines.size() < most) {
            lines.emplace_back(words[i]);
        } else {
            const auto rest = static_cast<std::size_t>(words[i].data() - text.data());
            lines.back() += " " + std::string(text.substr(rest));
            break;
        }
    }
    for (auto& line : lines) line = shortened(line, font, width);
    return lines;
}

Rect bounds(const Words& words) {
    const double width = words.width;
    const double left = words.anchor == Anchor::start    ? 0
                        : words.anchor == Anchor::middle ? -width / 2
                                                         : -width;
    const double top = -ascent * words.font.size;
    const double bottom = descent * words.font.size;
    const double angle = words.turned * std::numbers::pi / 180;
    Rect rect{1e300, 1e300, 0, 0};
    Point most{-1e300, -1e300};
    for (const Point corner : std::array<Point, 4>{
             {{left, top}, {left + width, top}, {left, bottom}, {left + width, bottom}}}) {
        const double x = words.at.x + corner.x * std::cos(angle) - corner.y * std::sin(angle);
        const double y = words.at.y + corner.x * std::sin(angle) + corner.y * std::cos(angle);
        rect.x = std::min(rect.x, x);
        rect.y = std::min(rect.y, y);
        most = {std::max(most.x, x), std::max(most.y, y)};
    }
    rect.width = most.x - rect.x;
    rect.height = most.y - rect.y;
    return rect;
}

}  // namespace ringside::render
