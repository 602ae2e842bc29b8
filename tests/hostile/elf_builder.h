// ELF files of 64 bits whose sections say what a test wants, also where no linker would.
#pragma once

#include <string>
#include <vector>

#include <elf.h>

#include "../data_builder.h"

namespace ringside::builders {

struct ElfPart {
    std::string name;
    std::uint32_t type = SHT_PROGBITS;
    std::string content;
    std::uint64_t flags = 0;
    std::uint64_t address = 0;
    std::uint32_t link = 0;
    // Where it lies, instead of behind the one before: `content` is then not written.
    int same_as = -1;
};

// Sections are numbered from 1 in the order of `parts`; the last is the table of their names. All
// of the file is mapped to address 0.
inline std::string elf_of(const std::vector<ElfPart>& parts) {
    std::string names(1, '\0');
    std::string body(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), '\0');
    std::vector<Elf64_Shdr> headers(1);
    const auto append = [&](const std::string& name, const ElfPart& part) {
        Elf64_Shdr header{};
        header.sh_name = static_cast<Elf64_Word>(names.size());
        names += name + '\0';
        header.sh_type = part.type;
        header.sh_flags = part.flags;
        header.sh_addr = part.address;
        header.sh_link = part.link;
        header.sh_offset = body.size();
        header.sh_size = part.content.size();
        if (part.same_as >= 0) {
            header.sh_offset = headers[static_cast<std::size_t>(part.same_as)].sh_offset;
            header.sh_size = headers[static_cast<std::size_t>(part.same_as)].sh_size;
        } else {
            body += part.content;
        }
        headers.push_back(header);
    };
    for (const auto& part : parts) append(part.name, part);
    ElfPart table;
    table.type = SHT_STRTAB;
    table.content = names + ".shstrtab" + '\0';
    append(".shstrtab", table);
    body.resize((body.size() + 7) / 8 * 8);

    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_type = ET_DYN;
    head.e_machine = EM_X86_64;
    head.e_phoff = sizeof head;
    head.e_phentsize = sizeof(Elf64_Phdr);
    head.e_phnum = 1;
    head.e_shoff = body.size();
    head.e_shentsize = sizeof(Elf64_Shdr);
    // More than fit into the field are said by the first section.
    const bool many = headers.size() >= SHN_LORESERVE;
    head.e_shnum = many ? 0 : static_cast<Elf64_Half>(headers.size());
    head.e_shstrndx = many ? SHN_XINDEX : static_cast<Elf64_Half>(headers.size() - 1);
    if (many) {
        headers[0].sh_size = headers.size();
        headers[0].sh_link = static_cast<Elf64_Word>(headers.size() - 1);
    }
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_X;
    segment.p_filesz = segment.p_memsz = body.size();
    std::memcpy(body.data(), &head, sizeof head);
    std::memcpy(body.data() + sizeof head, &segment, sizeof segment);
    for (const auto& header : headers)
        body.append(reinterpret_cast<const char*>(&header), sizeof header);
    return body;
}

inline std::string elf_symbol(std::uint32_t name, std::uint64_t value, std::uint64_t size = 16,
                              std::uint16_t section = 1) {
    Elf64_Sym symbol{};
    symbol.st_name = name;
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = section;
    symbol.st_value = value;
    symbol.st_size = size;
    return {reinterpret_cast<const char*>(&symbol), sizeof symbol};
}

}  // namespace ringside::builders
