#include "components/io/sources.h"

#include <algorithm>

#include <dlfcn.h>
#include <unistd.h>

#include <ringside/clocks.h>

#include "base/error.h"
#include "base/own_calls.h"
#include "bpf/io_tracer.h"

namespace ringside::components::io {

namespace {

io_word peek(const io_word& word) {
    return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

const io_word* words_of(const io_counts& counts) {
    return reinterpret_cast<const io_word*>(&counts);
}

double rate_of(const io_table& table) {
    if (table.clock == IO_CLOCK_NS) return 1;
    const auto ticks = static_cast<double>(cycles() - table.start_ticks);
    return ticks > 0 ? static_cast<double>(real_ns() - table.start_ns) / ticks : 0;
}

// The thread that opened it.
class OwnThread final : public Source {
  public:
    OwnThread(const io_table& table, const io_slot& slot)
        : table_(table), slot_(slot), generation_(slot.generation) {}

    bool read(std::span<const WordIndex> words, std::span<io_word> out) override {
        const io_word* counts = words_of(slot_.counts);
        for (std::size_t i = 0; i < words.size(); ++i) out[i] = peek(counts[words[i]]);
        return slot_.generation == generation_;
    }
    double ns_per_tick() const override { return rate_of(table_); }

  private:
    const io_table& table_;
    const io_slot& slot_;
    io_half generation_;
};

// All threads of this process, or another one of them.
class OwnProcess final : public Source {
  public:
    OwnProcess(const io_table& table, int tid) : table_(table), tid_(tid) {}

    bool read(std::span<const WordIndex> words, std::span<io_word> out) override {
        for (;;) {
            const io_half before = __atomic_load_n(&table_.folding, __ATOMIC_SEQ_CST);
            add_up(words, out);
            const io_half after = __atomic_load_n(&table_.folding, __ATOMIC_SEQ_CST);
            // Folding moves counts from slot to slot; a sum taken meanwhile may miss some.
            if (tid_ != 0 || (before == after && before % 2 == 0)) return true;
        }
    }
    double ns_per_tick() const override { return rate_of(table_); }

  private:
    void add_up(std::span<const WordIndex> words, std::span<io_word> out) const {
        std::fill(out.begin(), out.end(), 0);
        const auto used = std::min<io_half>(table_.slots_used, IO_SLOTS);
        for (io_half i = 0; i < used; ++i) {
            const io_slot& slot = table_.slots[i];
            if (slot.state != IO_SLOT_TAKEN) continue;
            if (tid_ != 0 && (i == 0 || static_cast<int>(slot.tid) != tid_)) continue;
            const io_word* counts = words_of(slot.counts);
            for (std::size_t word = 0; word < words.size(); ++word) {
                out[word] += peek(counts[words[word]]);
            }
        }
    }

    const io_table& table_;
    int tid_;  // 0: all
};

class Traced final : public Source {
  public:
    explicit Traced(std::unique_ptr<bpf::IoTracer> tracer)
        : tracer_(std::move(tracer)), sum_(std::make_unique<io_counts>()) {}

    bool read(std::span<const WordIndex> words, std::span<io_word> out) override {
        *sum_ = io_counts{};
        tracer_->add_to(*sum_);
        for (std::size_t i = 0; i < words.size(); ++i) out[i] = words_of(*sum_)[words[i]];
        return true;
    }
    double ns_per_tick() const override { return 1; }

  private:
    std::unique_ptr<bpf::IoTracer> tracer_;
    std::unique_ptr<io_counts> sum_;
};

bool is_own_thread(const base::SysRoot& root, int tid) {
    return root.exists("/proc/self/task/" + std::to_string(tid));
}

Result<std::unique_ptr<Source>> in_process(const SetOptions& options) {
    const Interposer interposer = Interposer::find();
    const io_table* table = interposer ? interposer.table() : nullptr;
    if (table == nullptr) {
        return base::fail(ErrorCode::unsupported, "nothing counts this process's I/O",
                          how_to_preload());
    }
    if (options.target.kind == Target::Kind::process) {
        return std::unique_ptr<Source>(new OwnProcess(*table, 0));
    }
    if (options.inherit) {
        return base::fail(ErrorCode::unsupported,
                          "the I/O of a thread is counted without the threads it starts",
                          "choose the process as the target");
    }
    if (options.target.kind == Target::Kind::thread && options.target.id != ::gettid()) {
        return std::unique_ptr<Source>(new OwnProcess(*table, options.target.id));
    }
    const io_slot* slot = interposer.slot();
    if (slot == nullptr || slot == &table->slots[0]) {
        return base::fail(ErrorCode::busy, "too many threads: this one's I/O has no row of its own",
                          "choose the process as the target");
    }
    return std::unique_ptr<Source>(new OwnThread(*table, *slot));
}

Result<std::unique_ptr<Source>> by_kernel(const base::SysRoot& root, const SetOptions& options) {
    const base::OwnCalls own;
    auto tracer = bpf::IoTracer::load(root);
    if (!tracer) return tracer.error();
    const auto follow = options.inherit ? bpf::IoFollow::children : bpf::IoFollow::threads;
    const int id = options.target.id;
    auto followed =
        options.target.kind == Target::Kind::process
            ? (*tracer)->follow_process(id, follow)
            : (*tracer)->follow(id, options.inherit ? bpf::IoFollow::children : bpf::IoFollow::none,
                                options.start_on_exec);
    if (!followed) return followed.error();
    return std::unique_ptr<Source>(new Traced(std::move(*tracer)));
}

}  // namespace

Interposer Interposer::find() {
    return {reinterpret_cast<io_table_function*>(::dlsym(RTLD_DEFAULT, IO_TABLE_SYMBOL)),
            reinterpret_cast<io_slot_function*>(::dlsym(RTLD_DEFAULT, IO_SLOT_SYMBOL))};
}

Result<std::unique_ptr<Source>> open_source(const base::SysRoot& root, const SetOptions& options) {
    const Target& target = options.target;
    switch (target.kind) {
        case Target::Kind::calling_thread:
            return in_process(options);
        case Target::Kind::thread:
            return is_own_thread(root, target.id) ? in_process(options) : by_kernel(root, options);
        case Target::Kind::process:
            return target.id == ::getpid() ? in_process(options) : by_kernel(root, options);
        default:
            return base::fail(ErrorCode::unsupported,
                              "application I/O is counted for threads and processes only");
    }
}

std::string how_to_preload() {
    return "start the program with `ringside io -- CMD`, with LD_PRELOAD=.../libringside-io.so, or "
           "link it with a library that carries the interposer";
}

}  // namespace ringside::components::io
