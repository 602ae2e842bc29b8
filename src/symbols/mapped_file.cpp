#include "symbols/mapped_file.h"

#include <array>
#include <atomic>
#include <memory>

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_io.h"

namespace ringside::symbols {

namespace {

// Where files are mapped, for a signal handler: slots that are free when `start` is 0. Blocks of
// them are added, and stay.
struct Range {
    std::atomic<std::uintptr_t> start{0};
    std::atomic<std::uintptr_t> end{0};
};
struct Block {
    std::array<Range, 256> ranges;
    std::atomic<Block*> next{nullptr};
};
Block first_block;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): a handler's

constexpr std::uintptr_t being_filled = 1;

bool take(Range& range, std::uintptr_t start, std::uintptr_t end) {
    std::uintptr_t free = 0;
    if (!range.start.compare_exchange_strong(free, being_filled)) return false;
    range.end = end;
    range.start = start;
    return true;
}

void remember(std::uintptr_t start, std::uintptr_t end) {
    for (Block* block = &first_block;; block = block->next) {
        for (auto& range : block->ranges)
            if (take(range, start, end)) return;
        if (block->next != nullptr) continue;
        auto added = std::make_unique<Block>();
        Block* none = nullptr;
        if (block->next.compare_exchange_strong(none, added.get()))
            static_cast<void>(added.release());
    }
}

Range* range_of(std::uintptr_t address) {
    for (Block* block = &first_block; block != nullptr; block = block->next)
        for (auto& range : block->ranges)
            if (range.start > being_filled && address >= range.start && address < range.end)
                return &range;
    return nullptr;
}

// Only calls that the kernel does: it may come anywhere.
void on_bus_error(int, siginfo_t* info, void*) {
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const auto page = static_cast<std::uintptr_t>(::getpagesize());
    if (info->si_code == BUS_ADRERR && range_of(at) != nullptr) {
        auto* const begin = static_cast<char*>(info->si_addr) - at % page;
        void* const zeros =
            ::mmap(begin, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros != MAP_FAILED) return;
    }
    // It comes again, now or, if somebody sent it, when this returns.
    ::signal(SIGBUS, SIG_DFL);
    ::raise(SIGBUS);
}

}  // namespace

MappedFile::Known::Known(base::Mmap mapped) : memory(std::move(mapped)) {
    const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
    remember(start, start + memory.size_bytes());
}

MappedFile::Known::~Known() {
    if (!memory) return;
    Range* range = range_of(reinterpret_cast<std::uintptr_t>(memory.data()));
    if (range != nullptr) range->start = 0;
}

std::optional<MappedFile> MappedFile::open(const std::string& path) {
    const auto fd = base::open_regular(path);
    struct stat status {};
    if (!fd || ::fstat(fd->get(), &status) != 0 || status.st_size == 0) return std::nullopt;
    const auto size = static_cast<std::size_t>(status.st_size);
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd->get(), 0);
    if (memory == MAP_FAILED) return std::nullopt;
    return MappedFile(base::Mmap(memory, size));
}

void MappedFile::survive_truncation() {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace ringside::symbols
