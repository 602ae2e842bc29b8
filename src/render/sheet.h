// What every figure shares: title, legend, caption, axis, colours; and a pen that writes clean
// text. Filled from top to bottom.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/figure.h"
#include "render/axis.h"
#include "render/picture.h"

namespace ringside::render {

namespace ink {
constexpr Colour black{0x000000};
constexpr Colour grey{0x555555};   // secondary words: 7.5 to 1 on white
constexpr Colour frame{0x444444};  // axes
constexpr Colour grid{0xdddddd};
constexpr Colour white{0xffffff};
}  // namespace ink

constexpr double margin = 6;
constexpr Font title_font{11, true};
constexpr Font label_font{9.5};
constexpr Font number_font{9};

// Of Okabe and Ito's palette, in an order in which neighbours differ in lightness too.
Colour series_colour(std::size_t series);
// More of them, for the parts of a whole.
Colour part_colour(std::size_t part, bool rest);
// Black or white, whichever can be read on it.
Colour words_on(Colour fill);
// What tells lines apart where there are no colours.
std::vector<double> series_dashes(std::size_t series);

enum class LegendKey { area, line };

class Sheet {
  public:
    explicit Sheet(double width = column_width) { picture_.width = width; }

    double y = margin;  // where what comes next begins
    double width() const { return picture_.width; }
    double right() const { return picture_.width - margin; }

    void box(Rect rect, Colour fill, std::string_view hint = "");
    void wedge(Wedge wedge);
    void line(std::vector<Point> points, Colour colour, double width = 0.7,
              std::vector<double> dashes = {});
    void words(std::string_view text, Point at, Anchor anchor = Anchor::start,
               Font font = label_font, Colour colour = ink::black);
    void turned_words(std::string_view text, Point at, double degrees, Font font,
                      Colour colour = ink::black);

    // "[.] solve bt.A *": the mark, the name, and where it is, within `room`.
    void label(const model::BarGroup& group, Point at, double room);
    void label(const model::Part& part, Point at, double room);

    void title(const model::Figure& figure);
    void legend(const std::vector<std::string>& series, LegendKey key);
    // The numbers and the name of a horizontal axis from `left` to `right`, below y.
    void axis_below(const Axis& axis, double left, double right, std::string_view name);
    // The caption, then nothing more.
    Picture finish(const model::Figure& figure);

  private:
    void put(std::string_view text, Point at, Anchor anchor, Font font, Colour colour,
             double degrees);
    void label(const std::string& mark, const std::string& name, const std::string& place,
               bool stressed, Point at, double room);
    Picture picture_;
};

// One way to write all values of a column, so that their points stand below each other: "0.3483",
// "12.4k".
class Numbers {
  public:
    // With `whole` there is nothing behind the point, unless a letter stands for thousands.
    explicit Numbers(double most, bool whole = false);
    std::string text(double value) const;
    std::string text(const std::optional<double>& value) const;

  private:
    double factor_ = 1;
    std::string letter_;
    int digits_ = 0;
};

}  // namespace ringside::render
