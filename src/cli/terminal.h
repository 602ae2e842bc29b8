// The one way out to people's eyes.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace ringside::cli {

// Lines of text in which nothing but Style's own colours is obeyed by a terminal: names of
// programs, files and functions are what others chose, and are in all that is printed. A name with
// a newline would still begin a line: in a table it passes base::visible() itself.
void print_text(std::FILE* to, std::string_view text);

// What print_text() prints.
std::string for_terminal(std::string_view text);

}  // namespace ringside::cli
