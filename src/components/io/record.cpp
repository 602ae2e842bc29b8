#include "components/io/record.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ringside/clocks.h>

#include "base/fd.h"
#include "base/mmap.h"
#include "base/sys_root.h"

namespace ringside::components::io {

namespace {

// Nothing when it is no table.
base::Mmap map_table(const std::string& path) {
    const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || info.st_size != sizeof(io_table)) return {};
    void* memory = ::mmap(nullptr, sizeof(io_table), PROT_READ, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED) return {};
    base::Mmap mapped(memory, sizeof(io_table));
    if (reinterpret_cast<const io_table*>(memory)->magic != IO_MAGIC) return {};
    return mapped;
}

template <std::size_t size>
std::string text_of(const char (&field)[size]) {
    return {field, ::strnlen(field, size)};
}

using Files = std::map<std::string, io_file_counts>;

void add_files(Files& files, const io_table& table, const io_slot& slot) {
    const io_half used = std::min<io_half>(table.files_used, IO_FILES);
    for (io_half i = 0; i < used; ++i) {
        if (model::is_empty(slot.files[i])) continue;
        model::add(files[i == 0 ? std::string() : text_of(table.files[i].path)], slot.files[i]);
    }
}

void add_table(model::IoRecord& record, Files& files, const io_table& table) {
    const io_half used = std::min<io_half>(table.slots_used, IO_SLOTS);
    for (io_half i = 0; i < used; ++i) {
        const io_slot& slot = table.slots[i];
        if (slot.state != IO_SLOT_TAKEN || model::is_empty(slot.counts)) continue;
        record.threads.push_back({static_cast<int>(table.pid),
                                  i == 0 ? 0 : static_cast<int>(slot.tid), text_of(table.command),
                                  slot.counts});
        add_files(files, table, slot);
    }
}

// All processes of a machine have one counter; the longer it is watched, the better its rate is
// known.
double rate_since(const io_table& table) {
    if (table.clock == IO_CLOCK_NS) return 1;
    return static_cast<double>(real_ns() - table.start_ns) /
           static_cast<double>(cycles() - table.start_ticks);
}

}  // namespace

Result<model::IoRecord> read_tables(const std::string& folder) {
    const base::SysRoot root(folder);
    const auto names = root.list("/");
    if (!names) return names.error();
    model::IoRecord record;
    Files files;
    io_word first_ns = ~io_word{0};
    for (const auto& name : *names) {
        const base::Mmap memory = map_table(folder + "/" + name);
        if (!memory) continue;
        const auto& table = *reinterpret_cast<const io_table*>(memory.data());
        ++record.programs;
        add_table(record, files, table);
        if (table.start_ns >= first_ns) continue;
        first_ns = table.start_ns;
        record.ns_per_tick = rate_since(table);
    }
    for (const auto& [path, counts] : files) record.files.push_back({path, counts});
    return record;
}

}  // namespace ringside::components::io
