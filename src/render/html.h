// A page that is one file: style, scripts and data are in it, and nothing is fetched from anywhere.
#pragma once

#include <string>
#include <string_view>

namespace ringside::render {

struct HtmlPage {
    std::string title;
    std::string body;  // HTML
    std::string data;  // JSON, for web/page.js
};

std::string html_page(const HtmlPage& page);

// A picture to stand in a page with others: without its prolog, and its ids begin with `prefix`.
std::string inline_svg(std::string_view svg, std::string_view prefix);

}  // namespace ringside::render
