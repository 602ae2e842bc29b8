// The archive format of the kernel's initramfs ("newc"), written reproducibly. Format:
// Documentation/driver-api/early-userspace/buffer-format.rst.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::guest {

struct CpioEntry {
    std::string_view name;     // without a leading '/'
    std::uint32_t mode = 0;    // with the S_IFMT bits
    std::string_view content;  // of a link: its target
};

// Same entries in the same order, same bytes: no times, owners or inode numbers of this machine.
class CpioWriter {
  public:
    void add(const CpioEntry& entry);
    void add_file(std::string_view name, std::string_view content,
                  std::uint32_t permissions = 0644);
    void add_directory(std::string_view name, std::uint32_t permissions = 0755);
    // The archive; the writer is empty then.
    std::string finish();

  private:
    std::string bytes_;
    std::uint32_t inode_ = 0;
};

}  // namespace ringside::guest
