#include "guest/modules.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "guest/elf.h"

namespace ringside::guest {

namespace {

// The kernel treats '-' and '_' in module names as the same.
std::string module_name(const fs::path& path) {
    std::string name = path.stem();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

class LoadOrder {
  public:
    explicit LoadOrder(const fs::path& directory) : directory_(directory) {
        std::error_code error;
        for (const auto& entry : fs::recursive_directory_iterator(directory / "kernel", error)) {
            if (entry.path().extension() == ".ko") files_[module_name(entry.path())] = entry.path();
        }
        const auto text = read_file(directory / "modules.builtin").value_or("");
        for (const auto line : base::split_lines(text)) built_in_.insert(module_name(line));
    }

    Result<void> add(const std::string& name) {
        if (built_in_.contains(name) || !seen_.insert(name).second) return {};
        const auto found = files_.find(name);
        if (found == files_.end()) {
            return base::fail(ErrorCode::not_found,
                              "no kernel module " + name + " in " + directory_.string());
        }
        auto content = read_file(found->second);
        if (!content) return content.error();
        const auto needed = module_depends(bytes_of(*content));
        if (!needed) return needed.error();
        for (const auto& other : *needed) {
            if (auto added = add(module_name(other + ".ko")); !added) return added;
        }
        ordered_.push_back(found->second);
        return {};
    }

    std::vector<fs::path> take() { return std::move(ordered_); }

  private:
    fs::path directory_;
    std::map<std::string, fs::path> files_;
    std::set<std::string> built_in_;
    std::set<std::string> seen_;
    std::vector<fs::path> ordered_;
};

}  // namespace

Result<std::vector<fs::path>> modules_in_load_order(const fs::path& root,
                                                    const std::string& release,
                                                    const std::vector<std::string>& wanted) {
    LoadOrder order(root / "lib/modules" / release);
    for (const auto& name : wanted) {
        if (auto added = order.add(module_name(name + ".ko")); !added) return added.error();
    }
    return order.take();
}

}  // namespace ringside::guest
