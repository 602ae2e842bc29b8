#include "guest/kernel.h"

#include <cstdlib>
#include <cstring>

#include <gmock/gmock.h>

#include "base/process.h"
#include "base/scratch_dir.h"

namespace ringside::guest {
namespace {

template <typename Number>
void put_number(std::string& image, std::size_t offset, Number number) {
    std::memcpy(image.data() + offset, &number, sizeof number);
}

// Of x86's boot protocol: a setup of one sector behind the first one, 8 bytes of code, and
// `packed`.
std::string image_of(std::string_view packed) {
    std::string image(1024 + 8, '\0');
    image[0x1f1] = 1;
    image.replace(0x202, 4, "HdrS");
    put_number<std::uint16_t>(image, 0x206, 0x20f);
    put_number<std::uint32_t>(image, 0x248, 8);
    put_number<std::uint32_t>(image, 0x24c, static_cast<std::uint32_t>(packed.size() + 4));
    return image + std::string(packed) + "size" + "what follows";
}

const std::string xz("\xfd\x37zXZ\0 and so on", 16);

TEST(PackedKernel, IsFoundByTheBootProtocol) {
    const auto image = image_of(xz);
    const auto kernel = packed_kernel(image);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->bytes, xz);
    EXPECT_STREQ(kernel->unpacker, "xz");
}

TEST(PackedKernel, IsNotFoundWhereThereIsNone) {
    EXPECT_FALSE(packed_kernel(""));
    EXPECT_FALSE(packed_kernel(image_of("unknown")));
    EXPECT_FALSE(packed_kernel(image_of("")));
    auto old = image_of(xz);
    put_number<std::uint16_t>(old, 0x206, 0x207);
    EXPECT_FALSE(packed_kernel(old));
    auto other = image_of(xz);
    other[0x202] = 'x';
    EXPECT_FALSE(packed_kernel(other));
}

TEST(PackedKernel, LiesInsideTheImageOrIsNone) {
    const auto image = image_of(xz);
    const std::size_t end = 1024 + 8 + xz.size() + 4;
    for (std::size_t bytes = 0; bytes < end; ++bytes) {
        EXPECT_FALSE(packed_kernel(std::string(image, 0, bytes))) << bytes;
    }
    EXPECT_TRUE(packed_kernel(std::string(image, 0, end)));
    for (const std::size_t field : {0x248, 0x24c}) {
        auto wrong = image;
        put_number<std::uint32_t>(wrong, field, 0xffff'fff0);
        EXPECT_FALSE(packed_kernel(wrong)) << field;
    }
    auto short_of_its_length = image;
    put_number<std::uint32_t>(short_of_its_length, 0x24c, 3);
    EXPECT_FALSE(packed_kernel(short_of_its_length));
}

class KernelOfPackages : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(make_directories(packages.root / "boot"));
        const fs::path plain = folder.path() / "plain";
        ASSERT_TRUE(write_file(plain, "the kernel itself"));
        const auto packed = base::run({"gzip", "-c", plain.string()});
        ASSERT_TRUE(packed);
        write("vmlinuz-6.1.0-x", image_of(packed->stdout_text));
    }
    void write(const std::string& name, const std::string& content) {
        ASSERT_TRUE(write_file(packages.root / "boot" / name, content));
    }
    fs::path place() const { return place_kernel(cache, packages).value(); }

    base::ScratchDir folder = base::ScratchDir::make("ringside-kernel-test").value();
    fs::path cache = folder.path() / "cache";
    PackageSet packages{folder.path() / "root", "content"};
    Progress silent = [](std::string_view) {};
};

TEST_F(KernelOfPackages, IsUnpackedOnceIfItCanBeEntered) {
    write("config-6.1.0-x", "CONFIG_X=y\nCONFIG_PVH=y\nCONFIG_Y=m\n");
    EXPECT_EQ(kernel_release(packages).value(), "6.1.0-x");
    const fs::path unpacked = place();
    EXPECT_EQ(unpacked.parent_path(), cache / "kernels");
    EXPECT_FALSE(fs::exists(unpacked));
    ASSERT_TRUE(provide_kernel(unpacked, packages, silent));
    EXPECT_EQ(read_file(unpacked).value(), "the kernel itself");
    ASSERT_TRUE(write_file(unpacked, "is not written again"));
    ASSERT_TRUE(provide_kernel(unpacked, packages, silent));
    EXPECT_EQ(read_file(unpacked).value(), "is not written again");
}

TEST_F(KernelOfPackages, BootsAsItIsOtherwise) {
    const fs::path packed = packages.root / "boot/vmlinuz-6.1.0-x";
    EXPECT_EQ(place(), packed);  // nothing says how it was built
    write("config-6.1.0-x", "CONFIG_X=y\n# CONFIG_PVH is not set\n");
    EXPECT_EQ(place(), packed);
    write("config-6.1.0-x", "CONFIG_X=y\nCONFIG_PVH=y\n");
    write("vmlinuz-6.1.0-x", "an image of arm64");
    EXPECT_EQ(place(), packed);
    ASSERT_TRUE(provide_kernel(packed, packages, silent));
    EXPECT_EQ(read_file(packed).value(), "an image of arm64");
}

TEST_F(KernelOfPackages, BootsAsItIsWhereNothingUnpacksIt) {
    write("config-6.1.0-x", "CONFIG_X=y\nCONFIG_PVH=y\n");
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", folder.path().c_str(), 1);
    const auto placed = place_kernel(cache, packages);
    ::setenv("PATH", path.c_str(), 1);
    ASSERT_TRUE(placed);
    EXPECT_EQ(*placed, packages.root / "boot/vmlinuz-6.1.0-x");
    EXPECT_NE(place(), *placed);
}

TEST_F(KernelOfPackages, ThatIsDamagedIsNotLeftInTheCache) {
    write("config-6.1.0-x", "CONFIG_X=y\nCONFIG_PVH=y\n");
    write("vmlinuz-6.1.0-x", image_of("\x1f\x8b and no more of gzip"));
    const fs::path unpacked = place();
    const auto done = provide_kernel(unpacked, packages, silent);
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().what, ::testing::HasSubstr("gzip"));
    EXPECT_FALSE(fs::exists(unpacked));
}

TEST_F(KernelOfPackages, MustBeThere) {
    fs::remove(packages.root / "boot/vmlinuz-6.1.0-x");
    EXPECT_FALSE(place_kernel(cache, packages));
    EXPECT_FALSE(kernel_release(packages));
}

}  // namespace
}  // namespace ringside::guest
