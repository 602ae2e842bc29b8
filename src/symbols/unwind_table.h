// How to get from a function to its caller, for every address of a program: the call frame
// information of .eh_frame or .debug_frame (DWARF 5, section 6.4; the LSB for .eh_frame).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "symbols/dwarf_cursor.h"
#include "symbols/elf_sections.h"

namespace ringside::symbols {

// Registers by DWARF's numbers: 0 to 16 on x86-64, 0 to 32 on arm64.
constexpr std::size_t unwind_registers = 33;

struct RegisterSet {
    std::array<std::uint64_t, unwind_registers> value{};
    std::uint64_t known = 0;  // one bit each

    bool has(std::size_t number) const { return (known >> number & 1) != 0; }
    void set(std::size_t number, std::uint64_t to) {
        value[number] = to;
        known |= std::uint64_t{1} << number;
    }
};

struct UnwindRule {
    enum class Kind : std::uint8_t {
        same,           // the callee did not change it
        undefined,      // it is lost
        at_offset,      // saved at CFA + number
        is_offset,      // it is CFA + number
        in_register,    // it is in another register
        at_expression,  // saved where the expression says
        is_expression,  // it is what the expression says
    };
    Kind kind = Kind::same;
    std::int64_t number = 0;
    DwarfBytes expression;
};

// What holds at one address.
struct UnwindRow {
    // The canonical frame address: a register and an offset, or an expression.
    std::uint64_t cfa_register = 0;
    std::int64_t cfa_offset = 0;
    DwarfBytes cfa_expression;
    std::array<UnwindRule, unwind_registers> rules{};
    std::uint64_t return_register = 0;
    bool signal_frame = false;  // the kernel called it: its caller was interrupted, it did not call
    bool signed_return = false;  // arm64 pointer authentication
};

// Reads a word of the program's memory; nullopt where nobody knows what it held.
using ReadMemory = std::function<std::optional<std::uint64_t>(std::uint64_t address)>;

class UnwindTable {
  public:
    // `bytes` of an ELF file must outlive this. Total: what makes no sense is left out.
    explicit UnwindTable(ElfBytes bytes);

    std::uint16_t machine() const { return machine_; }  // EM_*
    // nullptr where nothing is known; valid as long as the table. Kept, because programs stop at
    // few places.
    const UnwindRow* find(std::uint64_t address);

  private:
    struct Frame {  // one function (FDE)
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        std::uint32_t common = 0;  // into commons_
        DwarfBytes program;
    };
    struct Common {  // what functions share (CIE)
        std::uint64_t code_align = 1;
        std::int64_t data_align = 1;
        std::uint64_t return_register = 0;
        std::uint8_t encoding = 0;
        bool signal_frame = false;
        bool augmented = false;
        DwarfBytes program;
    };
    struct Section {
        DwarfBytes bytes;
        std::uint64_t address = 0;
        bool eh = false;
    };
    class Program;

    void read_section(const Section& section);
    std::optional<std::uint32_t> common_at(const Section& section, std::uint64_t offset);
    void read_frame(const Section& section, DwarfCursor cursor, std::uint32_t common);
    std::optional<std::uint64_t> pointer(const Section& section, DwarfCursor& cursor,
                                         std::uint8_t encoding) const;

    base::ByteOrder order_ = base::ByteOrder::same;
    std::uint16_t machine_ = 0;
    std::vector<std::vector<std::byte>> unpacked_;
    std::vector<Common> commons_;
    std::unordered_map<std::uint64_t, std::uint32_t> common_by_offset_;  // while reading a section
    std::vector<Frame> frames_;                                          // by address
    std::unordered_map<std::uint64_t, std::optional<UnwindRow>> rows_;
};

// From a frame to its caller's: all registers it restores, with the stack pointer at the CFA.
// nullopt at the outermost frame, and where memory that is needed is not known. `stack_register`
// and `program_counter` are the machine's.
std::optional<RegisterSet> unwind_step(const UnwindRow& row, const RegisterSet& registers,
                                       std::size_t stack_register, std::size_t program_counter,
                                       const ReadMemory& read);

}  // namespace ringside::symbols
