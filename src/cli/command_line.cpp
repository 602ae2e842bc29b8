#include "cli/command_line.h"

#include "base/text.h"

namespace ringside::cli {

std::vector<std::string> own_command_line(const base::SysRoot& root) {
    std::vector<std::string> words;
    const auto text = root.read("/proc/self/cmdline");
    if (!text) return words;
    for (const auto word : base::split(*text, '\0')) words.emplace_back(word);
    if (!words.empty() && words.back().empty()) words.pop_back();  // behind the last NUL
    return words;
}

}  // namespace ringside::cli
