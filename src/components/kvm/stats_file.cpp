#include "components/kvm/stats_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/byte_reader.h"
#include "base/error.h"

namespace ringside::components::kvm {

namespace {

// More than any kernel has; a file that claims more is not believed.
constexpr std::uint32_t most_stats = 4096;
constexpr std::uint32_t most_name_bytes = 1024;
// struct kvm_stats_desc without the name; in C++ its sizeof is larger than the kernel's.
constexpr std::size_t descriptor_head_bytes = 16;
constexpr std::size_t most_layout_bytes = 1 << 20;

std::string text_of(std::span<const std::byte> bytes) {
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    return {text, ::strnlen(text, bytes.size())};
}

std::string_view unit_name(std::uint32_t flags) {
    switch (flags & KVM_STATS_UNIT_MASK) {
        case KVM_STATS_UNIT_BYTES:
            return "bytes";
        case KVM_STATS_UNIT_SECONDS:
            return "s";
        case KVM_STATS_UNIT_CYCLES:
            return "cycles";
        default:
            return "";
    }
}

// Values are in base^exponent of the unit.
std::string unit_of(std::uint32_t flags, int exponent) {
    std::string unit(unit_name(flags));
    if (unit == "s" && exponent == -9) return "ns";
    if (unit.empty() || exponent == 0) return unit;
    const bool binary = (flags & KVM_STATS_BASE_MASK) == KVM_STATS_BASE_POW2;
    return (binary ? "2^" : "10^") + std::to_string(exponent) + " " + unit;
}

std::optional<StatFacts> parse_descriptor(std::span<const std::byte> bytes,
                                          std::uint64_t data_offset) {
    base::ByteReader reader(bytes);
    const auto flags = reader.read<std::uint32_t>();
    const auto exponent = reader.read<std::int16_t>();
    const auto items = reader.read<std::uint16_t>();
    const auto offset = reader.read<std::uint32_t>();
    const auto bucket_size = reader.read<std::uint32_t>();
    if (!bucket_size || *items == 0) return std::nullopt;
    const std::uint32_t type = *flags & KVM_STATS_TYPE_MASK;
    StatFacts stat;
    stat.name = text_of(bytes.last(reader.remaining()));
    stat.level = type == KVM_STATS_TYPE_INSTANT || type == KVM_STATS_TYPE_PEAK;
    stat.unit = unit_of(*flags, *exponent);
    stat.items = *items;
    stat.offset = data_offset + *offset;
    if (stat.name.empty()) return std::nullopt;
    return stat;
}

std::optional<std::span<const std::byte>> part_of(std::span<const std::byte> bytes,
                                                  std::size_t offset, std::size_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
    return bytes.subspan(offset, size);
}

const StatFacts* find_stat(const std::vector<StatFacts>& stats, std::string_view name) {
    const auto found = std::find_if(stats.begin(), stats.end(),
                                    [&](const auto& stat) { return stat.name == name; });
    return found == stats.end() ? nullptr : &*found;
}

Result<StatsLayout> layout_of(int owner, const char* whose) {
    base::Fd file(::ioctl(owner, KVM_GET_STATS_FD, 0));
    if (!file) return base::fail_errno(errno, std::string("no statistics of ") + whose);
    auto opened = StatsFile::open(std::move(file));
    if (!opened) return opened.error();
    return opened->layout();
}

}  // namespace

const StatFacts* StatsLayout::find(std::string_view name) const {
    return find_stat(stats, name);
}

std::optional<StatsLayout> parse_stats_layout(std::span<const std::byte> bytes) {
    const auto header = base::ByteReader(bytes).read<kvm_stats_header>();
    if (!header || header->num_desc > most_stats || header->name_size == 0 ||
        header->name_size > most_name_bytes) {
        return std::nullopt;
    }
    const std::size_t descriptor_bytes = descriptor_head_bytes + header->name_size;
    const auto id = part_of(bytes, header->id_offset, header->name_size);
    const auto descriptors =
        part_of(bytes, header->desc_offset, header->num_desc * descriptor_bytes);
    if (!id || !descriptors) return std::nullopt;
    StatsLayout layout{text_of(*id), {}};
    for (std::size_t i = 0; i < header->num_desc; ++i) {
        auto stat = parse_descriptor(descriptors->subspan(i * descriptor_bytes, descriptor_bytes),
                                     header->data_offset);
        if (!stat) return std::nullopt;
        layout.stats.push_back(std::move(*stat));
    }
    return layout;
}

Result<StatsFile> StatsFile::open(base::Fd file) {
    kvm_stats_header header{};
    if (::pread(file.get(), &header, sizeof header, 0) != sizeof header) {
        return base::fail_errno(errno, "cannot read KVM's statistics");
    }
    // Id and descriptors may come in any order; both lie before the values in all kernels so far.
    const std::size_t size = std::min<std::size_t>(header.data_offset, most_layout_bytes);
    std::vector<std::byte> bytes(size);
    const ssize_t count = ::pread(file.get(), bytes.data(), bytes.size(), 0);
    if (count < 0) return base::fail_errno(errno, "cannot read KVM's statistics");
    auto layout = parse_stats_layout(std::span(bytes).first(static_cast<std::size_t>(count)));
    if (!layout) return base::fail(ErrorCode::bad_input, "KVM's statistics make no sense");
    return StatsFile(std::move(file), std::move(*layout));
}

std::optional<std::uint64_t> StatsFile::read(const StatFacts& stat, unsigned item) const {
    std::uint64_t value = 0;
    const auto offset = static_cast<off_t>(stat.offset + item * sizeof value);
    if (::pread(file_.get(), &value, sizeof value, offset) != sizeof value) return std::nullopt;
    return value;
}

const StatFacts* StatsCatalogue::find(std::string_view name) const {
    const StatFacts* found = vm.find(name);
    return found != nullptr ? found : vcpu.find(name);
}

Result<StatsCatalogue> learn_catalogue() {
    const base::Fd kvm(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
    if (!kvm) return base::fail_errno(errno, "cannot open /dev/kvm");
    const base::Fd machine(::ioctl(kvm.get(), KVM_CREATE_VM, 0));
    if (!machine) return base::fail_errno(errno, "KVM cannot create a machine");
    const base::Fd processor(::ioctl(machine.get(), KVM_CREATE_VCPU, 0));
    if (!processor) return base::fail_errno(errno, "KVM cannot create a processor");
    auto vm = layout_of(machine.get(), "a machine");
    if (!vm) return vm.error();
    auto vcpu = layout_of(processor.get(), "a processor");
    if (!vcpu) return vcpu.error();
    return StatsCatalogue{std::move(*vm), std::move(*vcpu)};
}

}  // namespace ringside::components::kvm
