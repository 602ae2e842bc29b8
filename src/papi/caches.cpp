#include "papi/caches.h"

#include <algorithm>
#include <climits>
#include <string>

#include "base/text.h"

namespace ringside::papi {

namespace {

class CacheFolder {
  public:
    CacheFolder(const base::SysRoot& root, int index)
        : root_(root),
          path_("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/") {}

    bool exists() const { return root_.exists(path_ + "level"); }
    std::string text(const char* file) const {
        return root_.read_trimmed(path_ + file).value_or("");
    }
    int number(const char* file) const {
        return static_cast<int>(
            std::min<std::uint64_t>(base::parse_u64(text(file)).value_or(0), INT_MAX));
    }
    // "32K"
    int size_bytes() const {
        const std::string size = text("size");
        if (size.empty() || size.back() != 'K') return 0;
        const auto kib = base::parse_u64(std::string_view(size).substr(0, size.size() - 1));
        return static_cast<int>(std::min<std::uint64_t>(kib.value_or(0) * 1024, INT_MAX));
    }

  private:
    const base::SysRoot& root_;
    std::string path_;
};

int type_of(const std::string& word) {
    if (word == "Data") return PAPI_MH_TYPE_DATA;
    if (word == "Instruction") return PAPI_MH_TYPE_INST;
    return PAPI_MH_TYPE_UNIFIED;
}

PAPI_mh_cache_info_t describe(const CacheFolder& folder) {
    PAPI_mh_cache_info_t cache{};
    cache.type = type_of(folder.text("type"));
    cache.size = folder.size_bytes();
    cache.line_size = folder.number("coherency_line_size");
    cache.num_lines = cache.line_size > 0 ? cache.size / cache.line_size : 0;
    cache.associativity = folder.number("ways_of_associativity");
    return cache;
}

void add(PAPI_mh_info_t& info, int level, const PAPI_mh_cache_info_t& cache) {
    if (level < 1 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS) return;
    info.levels = std::max(info.levels, level);
    for (auto& slot : info.level[level - 1].cache) {
        if (slot.type == PAPI_MH_TYPE_EMPTY) {
            slot = cache;
            return;
        }
    }
}

}  // namespace

PAPI_mh_info_t read_caches(const base::SysRoot& root) {
    PAPI_mh_info_t info{};
    for (int index = 0; index < PAPI_MAX_MEM_HIERARCHY_LEVELS * PAPI_MH_MAX_LEVELS; ++index) {
        const CacheFolder folder(root, index);
        if (!folder.exists()) break;
        add(info, folder.number("level"), describe(folder));
    }
    return info;
}

}  // namespace ringside::papi
