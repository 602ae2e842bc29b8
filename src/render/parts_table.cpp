#include "render/parts_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "render/letters.h"

namespace ringside::render {

namespace {

constexpr double column = 56;
constexpr double least_name = 120;
constexpr double table_row_height = 12.5;
constexpr double key = 10;
constexpr Font table_key_font{8, true};

}  // namespace

double parts_width(const model::Figure& figure) {
    return std::max(column_width, 2 * margin + key + 4 + least_name +
                                      column * static_cast<double>(figure.series.size()));
}

void draw_parts_table(Sheet& sheet, const model::Figure& figure, const model::Parts& parts,
                      const std::function<std::string(const model::Part&, std::size_t)>& cell,
                      bool keys) {
    const std::size_t count = figure.series.size();
    const auto column_right = [&](std::size_t series) {
        return sheet.right() - column * static_cast<double>(count - 1 - series);
    };
    for (std::size_t i = 0; i < count; ++i) {
        sheet.words(shortened(clean(figure.series[i]), number_font, column - 6),
                    {column_right(i), sheet.y + 9}, Anchor::end, number_font, ink::grey);
    }
    sheet.y += table_row_height;
    sheet.line({{margin, sheet.y - 1}, {sheet.right(), sheet.y - 1}}, ink::grid);
    const double name_left = margin + key + 4;
    const double name_room = column_right(0) - column - name_left;
    for (std::size_t i = 0; i < parts.parts.size(); ++i) {
        const auto& part = parts.parts[i];
        const Colour fill = part_colour(i, part.rest);
        sheet.box({margin, sheet.y + 0.8, key, key}, fill);
        if (keys) {
            sheet.words(std::to_string(i + 1), {margin + key / 2, sheet.y + 8.8}, Anchor::middle,
                        table_key_font, words_on(fill));
        }
        sheet.label(part, {name_left, sheet.y + 9.2}, name_room);
        for (std::size_t series = 0; series < count; ++series) {
            sheet.words(cell(part, series), {column_right(series), sheet.y + 9.2}, Anchor::end,
                        number_font);
        }
        sheet.y += table_row_height;
    }
    sheet.y += 2;
}

double drawable(const model::Part& part, std::size_t series) {
    if (series >= part.values.size() || !part.values[series]) return 0;
    const double value = *part.values[series];
    return std::isfinite(value) && value > 0 ? value : 0;
}

std::optional<double> whole_of(const model::Parts& parts, std::size_t series) {
    std::optional<double> sum;
    for (const auto& part : parts.parts) {
        if (series >= part.values.size() || !part.values[series]) continue;
        sum = sum.value_or(0) + drawable(part, series);
    }
    return sum;
}

}  // namespace ringside::render
