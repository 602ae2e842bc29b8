// base/text.h: numbers, CPU lists, fields.
#include "base/text.h"
#include "fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside::base;
    const auto text = ringside::fuzz::as_text(data, size);
    const auto cpus = parse_cpu_list(text);
    RINGSIDE_ASSERT(!cpus || cpus->size() <= 65536);
    if (cpus) {
        for (const int cpu : *cpus) RINGSIDE_ASSERT(cpu >= 0);
    }
    RINGSIDE_ASSERT(!split(text, ',').empty());
    for (const auto word : split_words(text)) RINGSIDE_ASSERT(!word.empty());
    RINGSIDE_ASSERT(trim(text).size() <= trim_end(text).size());
    for (const auto line : split_lines(text)) {
        RINGSIDE_ASSERT(!contains(line, "\n"));
        const auto key = trim(line.substr(0, line.find(':')));
        if (contains(line, ":")) RINGSIDE_ASSERT(find_field(text, key).has_value());
        (void)parse_u64(line);
        (void)parse_u64(line, 16);
        (void)parse_i64(line);
    }
    return 0;
}
