#include "guest/kernel.h"

#include <cstring>

#include "base/error.h"
#include "base/file_io.h"
#include "base/process.h"
#include "base/scratch_dir.h"
#include "base/text.h"
#include "guest/private_apt.h"

namespace ringside::guest {

namespace {

constexpr std::string_view packed_name = "vmlinuz-";

Result<fs::path> packaged_kernel(const PackageSet& packages) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(packages.root / "boot", error)) {
        if (entry.path().filename().string().starts_with(packed_name)) return entry.path();
    }
    return base::fail(ErrorCode::not_found, "no kernel below " + packages.root.string());
}

// Linux's Documentation/arch/x86/boot.rst.
struct BootProtocol {
    static constexpr std::size_t sectors = 0x1f1;
    static constexpr std::size_t magic = 0x202;
    static constexpr std::size_t version = 0x206;
    static constexpr std::size_t payload_offset = 0x248;
    static constexpr std::size_t payload_bytes = 0x24c;
    static constexpr std::size_t end = 0x250;
    static constexpr unsigned first_with_payload = 0x208;
    static constexpr std::size_t sector = 512;
};

template <typename Number>
Number number_at(std::string_view image, std::size_t offset) {
    Number number;
    std::memcpy(&number, image.data() + offset, sizeof number);
    return number;
}

struct Packing {
    std::string_view begins;
    const char* unpacker;
};
using namespace std::string_view_literals;
constexpr Packing packings[] = {
    {"\xfd\x37zXZ\0"sv, "xz"},
    {"\x1f\x8b"sv, "gzip"},
    {"\x28\xb5\x2f\xfd"sv, "zstd"},
};

// Whether the kernel inside the package's can be entered, and unpacked here.
Result<bool> can_be_unpacked(const fs::path& packed, const std::string& release) {
    const auto options = read_file(packed.parent_path() / ("config-" + release));
    if (!options || !base::contains(*options, "\nCONFIG_PVH=y\n")) return false;
    const auto image = read_file(packed);
    if (!image) return image.error();
    const auto inside = packed_kernel(*image);
    return inside && base::find_executable(inside->unpacker).has_value();
}

}  // namespace

std::optional<PackedKernel> packed_kernel(std::string_view image) {
    using At = BootProtocol;
    if (image.size() < At::end || image.substr(At::magic, 4) != "HdrS") return std::nullopt;
    if (number_at<std::uint16_t>(image, At::version) < At::first_with_payload) return std::nullopt;
    const unsigned sectors = number_at<std::uint8_t>(image, At::sectors);
    const std::size_t begin = ((sectors == 0 ? 4 : sectors) + 1) * At::sector +
                              number_at<std::uint32_t>(image, At::payload_offset);
    // Behind it is how long it is when unpacked.
    constexpr std::size_t length_bytes = 4;
    const std::size_t bytes = number_at<std::uint32_t>(image, At::payload_bytes);
    if (begin > image.size() || bytes > image.size() - begin || bytes < length_bytes) {
        return std::nullopt;
    }
    const auto inside = image.substr(begin, bytes - length_bytes);
    for (const auto& packing : packings) {
        if (inside.starts_with(packing.begins)) return PackedKernel{packing.unpacker, inside};
    }
    return std::nullopt;
}

Result<std::string> kernel_release(const PackageSet& packages) {
    const auto kernel = packaged_kernel(packages);
    if (!kernel) return kernel.error();
    return kernel->filename().string().substr(packed_name.size());
}

Result<fs::path> place_kernel(const fs::path& cache, const PackageSet& packages) {
    const auto packed = packaged_kernel(packages);
    if (!packed) return packed.error();
    const auto release = packed->filename().string().substr(packed_name.size());
    const auto unpacked = can_be_unpacked(*packed, release);
    if (!unpacked) return unpacked.error();
    if (!*unpacked) return *packed;
    return cache / "kernels" / (short_hash(packages.content) + ".elf");
}

Result<void> provide_kernel(const fs::path& place, const PackageSet& packages,
                            const Progress& progress) {
    if (fs::exists(place)) return {};
    const auto packed = packaged_kernel(packages);
    if (!packed) return packed.error();
    progress("unpacking " + packed->filename().string());
    const auto image = read_file(*packed);
    if (!image) return image.error();
    const auto inside = packed_kernel(*image);
    if (!inside) return base::fail(ErrorCode::io, packed->string() + " has changed");
    const auto directory = base::ScratchDir::make("ringside-kernel");
    if (!directory) return directory.error();
    const fs::path file = directory->path() / "packed";
    if (auto written = write_file(file, inside->bytes); !written) return written;
    const auto kernel = run_checked({inside->unpacker, "-dc", file.string()});
    if (!kernel) return kernel.error();
    if (auto made = make_directories(place.parent_path()); !made) return made;
    return base::replace_file(place, *kernel);
}

}  // namespace ringside::guest
