// Any bytes as a program, a kernel's symbol list or a JIT's map: names or none, never a crash.
#include "fuzz_input.h"
#include "profile/demangle.h"
#include "symbols/elf_file.h"
#include "symbols/finder.h"
#include "symbols/kallsyms.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace ringside;
    const auto text = fuzz::as_text(data, size);
    const auto check = [](const symbols::SymbolTable& table) {
        for (const auto& symbol : table.symbols()) {
            RINGSIDE_ASSERT(symbol.end > symbol.start || symbol.end == 0);
            [[maybe_unused]] const auto name = profile::demangle(table.name(symbol));
        }
    };
    if (const auto elf = symbols::parse_elf(std::as_bytes(std::span(data, size))))
        check(elf->functions);
    check(symbols::parse_kallsyms(text).functions);
    check(symbols::parse_perf_map(text));
    return 0;
}
