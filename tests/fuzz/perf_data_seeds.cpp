// Writes the profiles that fuzzing begins with: small whole ones of every form.
#include "../data_builder.h"

int main(int argc, char** argv) {
    using ringside::base::ByteOrder;
    using ringside::builders::DataBuilder;
    if (argc != 2) return 2;
    const std::string folder = argv[1];
    const auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
    for (const auto order : {ByteOrder::same, ByteOrder::swapped}) {
        DataBuilder builder(order, true);
        builder.comm(7, 7, 1, "app", true).map(7, 2, 0x1000, 0x1000, 0, "/bin/app").fork(8, 7, 3);
        builder.sample(8, 9, 0x1234, 3, PERF_RECORD_MISC_USER, {user, 0x1234, 0x1300}).lost(3, 10);
        const std::string name = order == ByteOrder::same ? "same" : "swapped";
        DataBuilder::write(folder + "/" + name, builder.file());
        DataBuilder::write(folder + "/" + name + "_pipe", builder.pipe());
    }
}
