// Any bytes as a program with debug and unwind information, and as these sections alone: lines,
// functions, rows or none, never a crash, never without end.
#include <cstring>

#include <elf.h>

#include "fuzz_input.h"
#include "symbols/debug_info.h"
#include "symbols/unwind_table.h"

namespace {

// An ELF file around the input: the fuzzer shall not have to invent section headers. The first
// byte says how much of the rest each section gets.
std::vector<std::byte> as_elf(const unsigned char* data, std::size_t size) {
    static constexpr const char* names[] = {
        "",           ".debug_info",     ".debug_abbrev", ".debug_line",
        ".debug_str", ".debug_rnglists", ".eh_frame",     ".shstrtab"};
    constexpr std::size_t count = std::size(names);
    std::string strings;
    std::vector<Elf64_Shdr> headers(count);
    std::vector<std::byte> file(sizeof(Elf64_Ehdr));
    const std::size_t part = size / (count - 2);
    for (std::size_t i = 1; i < count; ++i) {
        headers[i].sh_name = static_cast<Elf64_Word>(strings.size());
        strings += names[i];
        strings += '\0';
        headers[i].sh_type = SHT_PROGBITS;
        headers[i].sh_offset = file.size();
        headers[i].sh_addr = 0x1000;
        if (i + 1 == count) break;
        const auto* from = reinterpret_cast<const std::byte*>(data) + (i - 1) * part;
        file.insert(file.end(), from, from + part);
        headers[i].sh_size = part;
    }
    headers[count - 1].sh_size = strings.size();
    const auto* text = reinterpret_cast<const std::byte*>(strings.data());
    file.insert(file.end(), text, text + strings.size());
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = EM_X86_64;
    header.e_shoff = file.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = count;
    header.e_shstrndx = count - 1;
    std::memcpy(file.data(), &header, sizeof header);
    const auto* table = reinterpret_cast<const std::byte*>(headers.data());
    file.insert(file.end(), table, table + count * sizeof(Elf64_Shdr));
    return file;
}

void ask(std::span<const std::byte> elf) {
    using namespace ringside;
    symbols::DebugInfo info(elf);
    symbols::UnwindTable unwind(elf);
    for (const std::uint64_t address : {0x0u, 0x10u, 0x1000u, 0x1100u, 0x401000u}) {
        const auto frames = info.find(address);
        RINGSIDE_ASSERT(frames.size() < 4096);
        const auto* row = unwind.find(address);
        if (row == nullptr) continue;
        symbols::RegisterSet registers;
        for (std::size_t i = 0; i < symbols::unwind_registers; ++i) registers.set(i, 0x1000 + i);
        unwind_step(*row, registers, 7, 16, [](std::uint64_t at) { return std::optional(at * 3); });
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    ask(std::as_bytes(std::span(data, size)));
    ask(as_elf(data, size));
    return 0;
}
