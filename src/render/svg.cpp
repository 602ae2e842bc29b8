#include "render/svg.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/xml_text.h"

namespace ringside::render {

namespace {

// Without a -0 and zeros that say nothing.
std::string number(double value) {
    std::string text = fmt::format("{:.2f}", value);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string colour(Colour colour) {
    return fmt::format("#{:06x}", colour.rgb);
}

std::string with_hint(const std::string& element, const std::string& hint) {
    if (hint.empty()) return fmt::format("<{}/>\n", element);
    const auto name = element.substr(0, element.find(' '));
    return fmt::format("<{}><title>{}</title></{}>\n", element, xml_text(hint), name);
}

std::string element(const Box& box) {
    return with_hint(fmt::format("rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"",
                                 number(box.rect.x), number(box.rect.y), number(box.rect.width),
                                 number(box.rect.height), colour(box.fill)),
                     box.hint);
}

std::string point_on(Point centre, double radius, double turn) {
    const double angle = 2 * std::numbers::pi * turn;
    return number(centre.x + radius * std::sin(angle)) + " " +
           number(centre.y - radius * std::cos(angle));
}

// An arc of SVG cannot be a whole turn, so each half is its own.
std::string arc(const Wedge& wedge, double radius, double from, double to) {
    const int clockwise = to > from ? 1 : 0;
    const std::string r = number(radius);
    return fmt::format("A{0} {0} 0 0 {1} {2}A{0} {0} 0 0 {1} {3}", r, clockwise,
                       point_on(wedge.centre, radius, (from + to) / 2),
                       point_on(wedge.centre, radius, to));
}

std::string element(const Wedge& wedge) {
    return with_hint(
        fmt::format("path d=\"M{}{}L{}{}Z\" fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"0.7\"",
                    point_on(wedge.centre, wedge.outer, wedge.from),
                    arc(wedge, wedge.outer, wedge.from, wedge.to),
                    point_on(wedge.centre, wedge.inner, wedge.to),
                    arc(wedge, wedge.inner, wedge.to, wedge.from), colour(wedge.fill)),
        wedge.hint);
}

std::string element(const Line& line) {
    std::string path;
    for (const Point& point : line.points) {
        path += fmt::format("{}{} {}", path.empty() ? 'M' : 'L', number(point.x), number(point.y));
    }
    const std::string dashes =
        line.dashes.empty() ? ""
                            : fmt::format(" stroke-dasharray=\"{}\"", fmt::join(line.dashes, " "));
    return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", path,
                       colour(line.colour), number(line.width), dashes);
}

std::string element(const Words& words) {
    std::string more;
    if (words.anchor != Anchor::start) {
        more += words.anchor == Anchor::end ? " text-anchor=\"end\"" : " text-anchor=\"middle\"";
    }
    if (words.font.bold) more += " font-weight=\"bold\"";
    const std::string x = number(words.at.x);
    const std::string y = number(words.at.y);
    if (words.turned != 0) {
        more += fmt::format(" transform=\"rotate({} {} {})\"", number(words.turned), x, y);
    }
    return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y,
                       number(words.font.size), colour(words.colour), more, xml_text(words.text));
}

}  // namespace

// Fonts as wide as those the words were measured by come first; the others are narrower.
std::string svg_of(const Picture& picture, std::string_view id) {
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {2} {3}\" role=\"img\" aria-labelledby=\"{4}-title {4}-desc\" "
        "font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\">\n"
        "<title id=\"{4}-title\">{5}</title>\n<desc id=\"{4}-desc\">{6}</desc>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        number(picture.width * pixels_per_unit), number(picture.height * pixels_per_unit),
        number(picture.width), number(picture.height), xml_text(id), xml_text(picture.title),
        xml_text(picture.description));
    for (const Shape& shape : picture.shapes) {
        svg += std::visit([](const auto& one) { return element(one); }, shape);
    }
    return svg + "</svg>\n";
}

}  // namespace ringside::render
