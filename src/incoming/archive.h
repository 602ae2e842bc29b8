// An archive that lies in a file of our own, which nobody changes meanwhile, read when it is looked
// at.
#pragma once

#include <filesystem>
#include <string_view>

#include <ringside/result.h>

#include "base/mmap.h"

namespace ringside::incoming {

class Archive {
  public:
    static Result<Archive> open(const std::filesystem::path& file);

    std::string_view bytes() const {
        return {reinterpret_cast<const char*>(mapping_.data()), mapping_.size_bytes()};
    }

  private:
    explicit Archive(base::Mmap mapping) : mapping_(std::move(mapping)) {}
    base::Mmap mapping_;
};

}  // namespace ringside::incoming
