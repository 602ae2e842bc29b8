// Where the counts come from: the interposer's table in this process, or the kernel's.
#pragma once

#include <memory>
#include <span>

#include <ringside/event_set.h>
#include <ringside/result.h>

#include "base/sys_root.h"
#include "components/io/events.h"

namespace ringside::components::io {

class Source {
  public:
    virtual ~Source() = default;
    // The present values of these words. False if what was measured is gone.
    virtual bool read(std::span<const WordIndex> words, std::span<io_word> out) = 0;
    virtual double ns_per_tick() const = 0;
};

// Functions of the interposer, if it is in this process.
struct Interposer {
    io_table_function* table = nullptr;
    io_slot_function* slot = nullptr;

    static Interposer find();
    explicit operator bool() const { return table != nullptr && slot != nullptr; }
};

// This process and its threads by the interposer, others by the kernel.
Result<std::unique_ptr<Source>> open_source(const base::SysRoot& root, const SetOptions& options);

// How to get the interposer into a program.
std::string how_to_preload();

}  // namespace ringside::components::io
