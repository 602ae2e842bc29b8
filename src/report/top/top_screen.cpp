#include "report/top/top_screen.h"

#include <algorithm>
#include <clocale>

#include "base/visible.h"

#define NCURSES_NOMACROS 1  // or its macros would take names of ours and of the library
#include <curses.h>

namespace ringside::report {

TopScreen::TopScreen() {
    std::setlocale(LC_CTYPE, "");
    ::initscr();
    ::cbreak();
    ::noecho();
    ::curs_set(0);
    ::keypad(stdscr, TRUE);
}

TopScreen::~TopScreen() {
    ::endwin();
}

void TopScreen::draw(const std::vector<std::string>& lines) {
    lines_.clear();
    for (const auto& line : lines) lines_.push_back(base::visible(line));
    first_ = std::min(first_, lines_.empty() ? 0 : lines_.size() - 1);
    ::erase();
    if (!lines_.empty()) {
        ::attron(A_REVERSE);
        ::mvaddnstr(0, 0, lines_.front().c_str(), COLS);
        ::attroff(A_REVERSE);
    }
    for (int row = 1; row < LINES; ++row) {
        const std::size_t index = first_ + static_cast<std::size_t>(row);
        if (index >= lines_.size()) break;
        ::mvaddnstr(row, 0, lines_[index].c_str(), COLS);
    }
    ::refresh();
}

int TopScreen::wait_key(std::chrono::milliseconds limit) {
    ::timeout(static_cast<int>(limit.count()));
    const int key = ::getch();
    const auto page = static_cast<std::size_t>(std::max(1, LINES - 2));
    const std::size_t last = lines_.size() > 1 ? lines_.size() - 2 : 0;
    const std::size_t before = first_;
    if (key == KEY_DOWN) first_ = std::min(last, first_ + 1);
    if (key == KEY_NPAGE) first_ = std::min(last, first_ + page);
    if (key == KEY_UP) first_ -= std::min<std::size_t>(first_, 1);
    if (key == KEY_PPAGE) first_ -= std::min(first_, page);
    if (key == KEY_HOME) first_ = 0;
    if (before != first_ || key == KEY_RESIZE) draw(std::vector<std::string>(lines_));
    return key == ERR ? 0 : key;
}

}  // namespace ringside::report
