// The terminal as a page of lines that is drawn again and again. Nothing else knows ncurses.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ringside::report {

class TopScreen {
  public:
    // Takes over the terminal until it is destroyed.
    TopScreen();
    ~TopScreen();
    TopScreen(const TopScreen&) = delete;
    TopScreen& operator=(const TopScreen&) = delete;

    // The first line is the heading; of the rest as many as fit, from where the reader scrolled to.
    void draw(const std::vector<std::string>& lines);
    // Waits for a key, at most so long; 0 if none came. Scrolling is done here.
    int wait_key(std::chrono::milliseconds limit);

  private:
    std::size_t first_ = 0;
    std::vector<std::string> lines_;
};

}  // namespace ringside::report
