// A memory mapping with one owner.
#pragma once

#include <cstddef>
#include <utility>

#include <sys/mman.h>

namespace ringside::base {

class Mmap {
  public:
    Mmap() = default;
    Mmap(void* address, std::size_t size_bytes) : address_(address), size_bytes_(size_bytes) {}
    Mmap(Mmap&& other) noexcept
        : address_(std::exchange(other.address_, nullptr)),
          size_bytes_(std::exchange(other.size_bytes_, 0)) {}
    Mmap& operator=(Mmap&& other) noexcept {
        std::swap(address_, other.address_);
        std::swap(size_bytes_, other.size_bytes_);
        return *this;
    }
    Mmap(const Mmap&) = delete;
    Mmap& operator=(const Mmap&) = delete;
    ~Mmap() {
        if (address_ != nullptr) ::munmap(address_, size_bytes_);
    }

    explicit operator bool() const { return address_ != nullptr; }
    std::byte* data() const { return static_cast<std::byte*>(address_); }
    std::size_t size_bytes() const { return size_bytes_; }

  private:
    void* address_ = nullptr;
    std::size_t size_bytes_ = 0;
};

}  // namespace ringside::base
