// A file's bytes, read when they are looked at. Whoever may write to the file may cut it short
// meanwhile: what is gone then reads as zeros, in a program that asked for survive_truncation().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/mmap.h"

namespace ringside::symbols {

class MappedFile {
  public:
    // nullopt if it cannot be read, is empty or is no regular file.
    static std::optional<MappedFile> open(const std::string& path);

    // What is no file, as one.
    explicit MappedFile(std::vector<std::byte> bytes) : memory_(std::move(bytes)) {}

    std::span<const std::byte> bytes() const {
        if (!mapping_.memory) return memory_;
        return {mapping_.memory.data(), mapping_.memory.size_bytes()};
    }

    // From now on SIGBUS in a mapped file gives zeros instead of ending this process. For a
    // program's beginning; a library has no business with its user's signals.
    static void survive_truncation();

  private:
    // A mapping that the handler of SIGBUS knows of while it lives.
    struct Known {
        explicit Known(base::Mmap mapped);
        Known() = default;
        Known(Known&& other) noexcept = default;
        Known& operator=(Known&& other) noexcept {
            std::swap(memory, other.memory);
            return *this;
        }
        Known(const Known&) = delete;
        Known& operator=(const Known&) = delete;
        ~Known();

        base::Mmap memory;
    };

    explicit MappedFile(base::Mmap mapping) : mapping_(std::move(mapping)) {}

    Known mapping_;
    std::vector<std::byte> memory_;
};

}  // namespace ringside::symbols
