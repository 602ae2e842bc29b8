#include "soft/run.h"

#include <fmt/format.h>

#include "base/sys_root.h"
#include "soft/count_file.h"

namespace ringside::soft {

Result<std::vector<std::string>> files_of_run(const std::string& folder) {
    const auto names = base::SysRoot().list(folder);
    if (!names) return names.error();
    std::vector<std::string> files;
    for (const auto& name : *names) {
        if (name.ends_with(SOFT_FILE_SUFFIX)) files.push_back(fmt::format("{}/{}", folder, name));
    }
    return files;
}

Result<RunCounts> read_run(const std::string& folder) {
    const auto files = files_of_run(folder);
    if (!files) return files.error();
    RunCounts run;
    run.counted = ~std::uint64_t{0};
    for (const auto& path : *files) {
        const auto file = CountFile::read(path);
        if (!file) {
            ++run.unreadable;
            continue;
        }
        const soft_extension& extension = file->extension();
        run.uncounted_programs += extension.uncounted_programs;
        run.uncounted_vcpus += extension.uncounted_vcpus;
        if (run.first_uncounted.empty()) run.first_uncounted = file->first_uncounted();
        if (!file->counts(SOFT_INSTRUCTIONS)) continue;  // killed before its first instruction
        ++run.images;
        for (unsigned i = 0; i < SOFT_COUNTERS; ++i) {
            run.totals[i] += file->total(i);
            if (!file->counts(i)) run.counted &= ~(std::uint64_t{1} << i);
        }
    }
    if (run.images == 0) run.counted = 0;
    return run;
}

std::vector<std::string> RunCounts::notes() const {
    std::vector<std::string> notes;
    if (uncounted_programs > 0) {
        notes.push_back(fmt::format(
            "programs that ran uncounted: {} (another architecture, other rights, or no file for "
            "their counts could be made), first {}",
            uncounted_programs, first_uncounted));
    }
    if (uncounted_vcpus > 0) {
        notes.push_back(fmt::format("threads beyond {} at once are not counted", SOFT_VCPUS));
    }
    if (unreadable > 0) notes.push_back(fmt::format("{} files of counts are broken", unreadable));
    return notes;
}

}  // namespace ringside::soft
