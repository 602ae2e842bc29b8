#include "render/html.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/embedded.h"
#include "render/xml_text.h"

namespace ringside::render {

namespace {

std::string_view part(const std::string& name) {
    const auto file = base::embedded_file(name);
    RINGSIDE_ASSERT(file);
    return *file;
}

unsigned hex_digit(char digit) {
    return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

std::string base64_of_hex(std::string_view hex) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    unsigned bits = 0;
    unsigned known = 0;
    for (const char digit : hex) {
        bits = bits << 4u | hex_digit(digit);
        known += 4;
        if (known < 6) continue;
        known -= 6;
        text += letters[bits >> known & 63u];
    }
    if (known > 0) text += letters[bits << (6 - known) & 63u];
    while (text.size() % 4 != 0) text += '=';
    return text;
}

// Within a script element only "<" can end it, or begin a comment that hides its end; JSON has it
// in strings alone, where it can be written otherwise.
std::string script_safe(std::string_view json) {
    std::string safe;
    safe.reserve(json.size());
    for (const char letter : json) {
        if (letter == '<') {
            safe += "\\u003c";
        } else {
            safe += letter;
        }
    }
    return safe;
}

// The browser is told to run these scripts alone and to fetch nothing: a second wall behind the
// escaping of names.
std::string policy() {
    return fmt::format(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}' 'sha256-{}'; "
        "base-uri 'none'; form-action 'none'",
        base64_of_hex(part("web/flame.js.sha256")), base64_of_hex(part("web/page.js.sha256")));
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

// Each word of every attribute that begins so gets the prefix.
void prefix_words(std::string& svg, std::string_view attribute, std::string_view prefix) {
    for (auto at = svg.find(attribute); at != std::string::npos; at = svg.find(attribute, at)) {
        at += attribute.size();
        while (at < svg.size() && svg[at] != '"') {
            svg.insert(at, prefix);
            at = svg.find_first_of(" \"", at);
            if (at < svg.size() && svg[at] == ' ') ++at;
        }
    }
}

}  // namespace

std::string inline_svg(std::string_view svg, std::string_view prefix) {
    const auto start = svg.find("<svg");
    std::string text(start == std::string_view::npos ? svg : svg.substr(start));
    for (const auto* attribute : {" id=\"", " aria-labelledby=\"", " aria-describedby=\""})
        prefix_words(text, attribute, prefix);
    for (const std::string_view link : {"=\"url(#", "href=\"#"})
        replace_all(text, link, fmt::format("{}{}", link, prefix));
    return text;
}

std::string html_page(const HtmlPage& page) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n{}"
        "<script type=\"application/json\" id=\"data\">{}</script>\n"
        "<script>{}</script>\n<script>{}</script>\n</body>\n</html>\n",
        policy(), xml_text(page.title), part("web/flame.css"), part("web/page.css"), page.body,
        script_safe(page.data), part("web/flame.js"), part("web/page.js"));
}

}  // namespace ringside::render
