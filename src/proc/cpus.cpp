#include "proc/cpus.h"

#include "base/error.h"
#include "base/text.h"

namespace ringside::proc {

Result<std::vector<int>> read_cpu_list(const base::SysRoot& root, const std::string& path) {
    const auto text = root.read_trimmed(path);
    if (!text) return text.error();
    auto members = base::parse_cpu_list(*text);
    if (!members || members->empty()) {
        return base::fail(ErrorCode::bad_input, path + " holds no list of CPUs or nodes");
    }
    return std::move(*members);
}

Result<std::vector<int>> online_cpus(const base::SysRoot& root) {
    return read_cpu_list(root, online_cpus_path);
}

}  // namespace ringside::proc
