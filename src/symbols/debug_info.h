// Source lines and inlined functions of a program, from its DWARF sections: each compilation unit
// is read when an address in it is first asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::symbols {

struct SourceFrame {
    std::string_view function;  // as the linker sees it; lives as long as the DebugInfo
    std::string file;           // empty if it is not known
    std::uint32_t line = 0;     // 0 if it is not known
};

class DebugInfo {
  public:
    // Of the ELF file in `bytes`, which must outlive this. Total: what makes no sense is not known.
    explicit DebugInfo(std::span<const std::byte> bytes);
    DebugInfo(DebugInfo&&) noexcept;
    DebugInfo& operator=(DebugInfo&&) noexcept;
    ~DebugInfo();

    // Whether the file has any.
    bool empty() const;
    // The functions at an address, the innermost inlined one first and last the one whose code it
    // is. Without functions, one frame with the line alone; empty where nothing is known.
    std::vector<SourceFrame> find(std::uint64_t address);
    // The line alone.
    SourceFrame line(std::uint64_t address);

  private:
    class Reader;
    std::unique_ptr<Reader> reader_;
};

}  // namespace ringside::symbols
