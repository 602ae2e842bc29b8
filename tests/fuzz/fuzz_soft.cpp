// soft/count_file.h, soft/btf.h and softpmu/block.h: any bytes are a file of counts or are refused,
// and any bytes of code have an ending. The input is laid over a good file, or little of it would
// pass.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "fuzz_input.h"
#include "soft/btf.h"
#include "soft/count_file.h"
#include "soft/guest_profile.h"
#include "soft/run.h"
#include "softpmu/block.h"
#include "softpmu/store.h"

namespace {

using namespace ringside;

// One folder for the whole run of the fuzzer, with a good file and what remains of it.
struct Folder {
    std::string path = "/tmp/ringside-fuzz-XXXXXX";
    softpmu::Store store;
    std::string file;
    Folder() {
        RINGSIDE_ASSERT(::mkdtemp(path.data()) != nullptr);
        RINGSIDE_ASSERT(store.open({path, 62, 3, 1000, 16}) == 0);
        store.show_vcpus(2);
        store.add_sample(SOFT_INSTRUCTIONS, 0x1000, 1);
        file = soft::newest_file(path, ::getpid()).value();
    }
    ~Folder() { std::filesystem::remove_all(path); }
};

void write_at(int fd, std::uint64_t offset, std::string_view bytes) {
    RINGSIDE_ASSERT(::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
                    static_cast<ssize_t>(bytes.size()));
}

void read_forged(const std::uint8_t* data, std::size_t size) {
    static const Folder folder;
    const int fd = ::open(folder.file.c_str(), O_RDWR);
    vpmu_page_header good{};
    RINGSIDE_ASSERT(::pread(fd, &good, sizeof good, 0) == sizeof good);
    const std::uint64_t behind = good.bytes;
    soft_extension extension{};
    RINGSIDE_ASSERT(::pread(fd, &extension, sizeof extension, static_cast<off_t>(behind)) ==
                    sizeof extension);
    // Header and extension as one; the first two bytes say where in them the rest is laid.
    std::string forged(reinterpret_cast<const char*>(&good), sizeof good);
    forged.append(reinterpret_cast<const char*>(&extension), sizeof extension);
    const std::size_t at = (data[0] | data[1] << 8) % forged.size();
    for (std::size_t i = 2; i < size && at + i - 2 < forged.size(); ++i) {
        forged[at + i - 2] = static_cast<char>(forged[at + i - 2] ^ data[i]);
    }
    write_at(fd, 0, forged.substr(0, sizeof good));
    write_at(fd, behind, forged.substr(sizeof good));
    if (const auto file = soft::CountFile::read(folder.file)) {
        RINGSIDE_ASSERT(file->program().size() <= SOFT_NAME_BYTES);
        RINGSIDE_ASSERT(file->devices().size() <= SOFT_DEVICES);
        const auto samples = file->samples();
        RINGSIDE_ASSERT(!samples || samples->size() <= file->extension().sample_count);
        static_cast<void>(file->hot_blocks());
    }
    RINGSIDE_ASSERT(soft::read_run(folder.path).has_value());
    write_at(fd, 0, {reinterpret_cast<const char*>(&good), sizeof good});
    write_at(fd, behind, {reinterpret_cast<const char*>(&extension), sizeof extension});
    ::close(fd);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const auto guest : {softpmu::Guest::x86_64, softpmu::Guest::arm64}) {
        static_cast<void>(softpmu::ending_of(guest, {data, size}, 0x1000));
        static_cast<void>(softpmu::is_port_access(guest, {data, size}));
    }
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto types = soft::Btf::parse(text)) {
        static_cast<void>(types->offset("task_struct", "mm.owner"));
    }
    static_cast<void>(soft::device_name("0xfed00000", text));
    if (size > 2) read_forged(data, size);
    return 0;
}
