// A file's bytes, read when they are looked at.
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
        if (!mapping_) return memory_;
        return {mapping_.data(), mapping_.size_bytes()};
    }

  private:
    explicit MappedFile(base::Mmap mapping) : mapping_(std::move(mapping)) {}

    base::Mmap mapping_;
    std::vector<std::byte> memory_;
};

}  // namespace ringside::symbols
