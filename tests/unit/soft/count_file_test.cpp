// The reader of counts against good files, as the plugin writes them, and forged ones.
#include "soft/count_file.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "soft/run.h"
#include "softpmu/store.h"
#include "tests/scratch.h"

namespace ringside::soft {
namespace {

namespace fs = std::filesystem;

std::string folder(const std::string& name) {
    const std::string path = scratch::file(name);
    fs::create_directories(path);
    return path;
}

constexpr std::uint64_t two_counters = 1u << SOFT_INSTRUCTIONS | 1u << SOFT_BRANCHES;

// A file of this process, with two vCPUs that counted.
std::string counted(const std::string& where, std::uint64_t period = 0, std::uint64_t hot = 0) {
    softpmu::Store store;
    EXPECT_EQ(store.open({where, 62, two_counters, period, hot}), 0);
    store.show_vcpus(2);
    store.vcpu(0).counter[SOFT_INSTRUCTIONS].raw = 1000;
    store.vcpu(1).counter[SOFT_INSTRUCTIONS].raw = 234;
    store.vcpu(1).counter[SOFT_BRANCHES].raw = 7;
    store.begin_thread(0, 17);
    if (period != 0) {
        store.add_sample(SOFT_INSTRUCTIONS, 0x4000, 17);
        store.add_sample(SOFT_INSTRUCTIONS, 0x4004, 17);
    }
    if (hot != 0) *store.new_hot_block() = {0x4000, 3, 12, 99};
    std::strcpy(store.extension().program, "/bin/tool");
    return newest_file(where, ::getpid()).value();
}

void overwrite(const std::string& path, std::uint64_t offset, const void* bytes,
               std::size_t count) {
    const int fd = ::open(path.c_str(), O_WRONLY);
    ASSERT_EQ(::pwrite(fd, bytes, count, static_cast<off_t>(offset)), static_cast<ssize_t>(count));
    ::close(fd);
}

template <typename T>
T read_at(const std::string& path, std::uint64_t offset) {
    T object{};
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(&object), sizeof object);
    return object;
}

void forge_header(const std::string& path, const std::function<void(vpmu_page_header&)>& change) {
    auto header = read_at<vpmu_page_header>(path, 0);
    change(header);
    overwrite(path, 0, &header, sizeof header);
}

void forge_extension(const std::string& path, const std::function<void(soft_extension&)>& change) {
    const std::uint64_t at = (read_at<vpmu_page_header>(path, 0).bytes + 63u) & ~63u;
    auto extension = read_at<soft_extension>(path, at);
    change(extension);
    overwrite(path, at, &extension, sizeof extension);
}

TEST(CountFile, SaysWhatWasCounted) {
    const auto file = CountFile::read(counted(folder("plain")));
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(file->total(SOFT_INSTRUCTIONS), 1234u);
    EXPECT_EQ(file->total(SOFT_BRANCHES), 7u);
    EXPECT_TRUE(file->counts(SOFT_BRANCHES));
    EXPECT_FALSE(file->counts(SOFT_LOADS)) << "a 0 that nobody counted";
    EXPECT_EQ(file->program(), "/bin/tool");
    EXPECT_TRUE(file->samples().value().empty());
    EXPECT_TRUE(file->hot_blocks().value().empty());
}

TEST(CountFile, TakesLittleRoom) {
    const auto path = counted(folder("sparse"), 1000, 1 << 20);
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_LT(info.st_blocks * 512, 100'000) << "of " << info.st_size;
}

TEST(CountFile, HasSamplesAndBlocks) {
    const auto file = CountFile::read(counted(folder("tables"), 1000, 16));
    ASSERT_TRUE(file);
    const auto samples = file->samples();
    ASSERT_TRUE(samples);
    ASSERT_EQ(samples->size(), 2u);
    EXPECT_EQ((*samples)[1].ip, 0x4004u);
    EXPECT_EQ((*samples)[1].thread, 17u);
    EXPECT_EQ(file->lost_samples(), 0u);
    const auto blocks = file->hot_blocks();
    ASSERT_TRUE(blocks);
    ASSERT_EQ(blocks->size(), 1u);
    EXPECT_EQ(blocks->front().executed, 99u);
}

TEST(CountFile, AThreadsCountGoesOnAfterItsEnd) {
    const auto where = folder("threads");
    softpmu::Store store;
    ASSERT_EQ(store.open({where, 62, two_counters, 0, 0}), 0);
    store.show_vcpus(1);
    auto& raw = store.vcpu(0).counter[SOFT_INSTRUCTIONS].raw;
    raw = 100;
    store.begin_thread(0, 17);
    raw = 150;
    store.end_thread(0);
    store.begin_thread(0, 18);
    raw = 157;
    const int fd = ::open(newest_file(where, ::getpid())->c_str(), O_RDONLY);
    std::vector<std::uint64_t> page(
        read_at<vpmu_page_header>(*newest_file(where, ::getpid()), 0).bytes / 8);
    ASSERT_EQ(::read(fd, page.data(), page.size() * 8), static_cast<ssize_t>(page.size() * 8));
    ::close(fd);
    const vpmu::PageReader reader(page.data(), page.size() * 8);
    const auto phys = [&](unsigned index) { return reader.vcpu(0)->counter[index].raw; };
    std::uint64_t value = 0;
    ASSERT_TRUE(reader.read_thread_count(0, SOFT_INSTRUCTIONS, phys, value));
    EXPECT_EQ(value, 50u);
    ASSERT_TRUE(reader.read_thread_count(1, SOFT_INSTRUCTIONS, phys, value));
    EXPECT_EQ(value, 7u);
    EXPECT_EQ(reader.thread(1)->id, 18u);
}

TEST(CountFile, IsMadeAnewAfterAFork) {
    const auto where = folder("fork");
    softpmu::Store store;
    ASSERT_EQ(store.open({where, 62, two_counters, 0, 8}), 0);
    store.show_vcpus(1);
    store.vcpu(0).counter[SOFT_INSTRUCTIONS].raw = 5;
    soft_hot_block* block = store.new_hot_block();
    *block = {0x10, 1, 4, 3};
    // What a child does; here it is the same process, so the next file is its own.
    ASSERT_EQ(store.reopen_after_fork(), 0);
    store.show_vcpus(1);
    EXPECT_EQ(store.vcpu(0).counter[SOFT_INSTRUCTIONS].raw, 0u);
    EXPECT_EQ(block->start, 0x10u) << "at the same address";
    EXPECT_EQ(block->executed, 0u);
    store.vcpu(0).counter[SOFT_INSTRUCTIONS].raw = 7;
    const auto run = read_run(where);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->images, 2u);
    EXPECT_EQ(run->totals[SOFT_INSTRUCTIONS], 12u);
    EXPECT_TRUE(newest_file(where, ::getpid())->ends_with("-1.soft"));
}

TEST(ForgedCounts, AreNoCounts) {
    const auto where = folder("forged");
    const std::vector<std::function<void(vpmu_page_header&)>> forgeries = {
        [](auto& header) { header.magic = 1; },
        [](auto& header) { header.version = 2; },
        [](auto& header) { header.bytes = 0; },
        [](auto& header) { header.bytes = 65; },
        [](auto& header) { header.bytes = 0xffffffff; },
        [](auto& header) { header.vcpu_count = 0xffffffff; },
        [](auto& header) { header.vcpu_count = 4096; },
        [](auto& header) { header.vcpu_offset = 0xffffff00; },
        [](auto& header) { header.vcpu_offset = 3; },
        [](auto& header) { header.thread_count = 65536; },
        [](auto& header) { header.ring_entries = 65536; },
    };
    for (std::size_t i = 0; i < forgeries.size(); ++i) {
        const auto path = counted(where);
        forge_header(path, forgeries[i]);
        EXPECT_FALSE(CountFile::read(path)) << i;
    }
    const auto run = read_run(where);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->unreadable, forgeries.size());
    EXPECT_EQ(run->counted, 0u) << "no count at all is not a count of 0";
    EXPECT_EQ(run->notes().size(), 1u);
}

TEST(ForgedCounts, ExtensionsAreBounded) {
    const auto where = folder("extension");
    const auto broken = counted(where, 1000, 16);
    forge_extension(broken, [](auto& extension) { extension.magic = 0; });
    EXPECT_FALSE(CountFile::read(broken));

    const auto path = counted(where, 1000, 16);
    forge_extension(path, [](auto& extension) {
        extension.sample_offset = ~std::uint64_t{0} - 8;
        extension.sample_count = extension.sample_capacity = std::uint64_t{1} << 60;
        extension.hot_count = extension.hot_capacity = std::uint64_t{1} << 40;
        extension.device_count = 1u << 30;
        std::memset(extension.program, 'x', sizeof extension.program);
        std::memset(extension.device, 'y', sizeof extension.device);
    });
    const auto file = CountFile::read(path);
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->samples());
    EXPECT_FALSE(file->hot_blocks());
    EXPECT_EQ(file->program().size(), SOFT_NAME_BYTES) << "no end, so the field's";
    EXPECT_EQ(file->devices().size(), SOFT_DEVICES);
    EXPECT_EQ(file->devices().back().name.size(), sizeof(soft_device::name));
}

TEST(ForgedCounts, OtherFilesInTheFolder) {
    const auto where = folder("others");
    counted(where);
    std::ofstream(where + "/1-0.soft") << "short";
    std::ofstream(where + "/x.soft");
    fs::create_directory(where + "/2-0.soft");
    fs::create_symlink("/etc/passwd", where + "/3-0.soft");
    ASSERT_EQ(::mkfifo((where + "/4-0.soft").c_str(), 0600), 0);
    const auto run = read_run(where);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->images, 1u);
    EXPECT_EQ(run->unreadable, 5u);
    EXPECT_EQ(run->totals[SOFT_INSTRUCTIONS], 1234u);
}

TEST(ForgedCounts, CutFiles) {
    const auto where = folder("cut");
    const auto path = counted(where, 1000, 16);
    const auto size = fs::file_size(path);
    for (const std::uint64_t keep :
         {std::uint64_t{0}, std::uint64_t{63}, std::uint64_t{64}, std::uint64_t{4096}, size / 2}) {
        fs::resize_file(path, keep);
        const auto file = CountFile::read(path);
        EXPECT_EQ(file.has_value(), keep == size / 2) << keep;
        EXPECT_TRUE(!file || file->samples()) << "two samples lie at the front of their table";
        fs::remove(path);
        counted(where, 1000, 16);
    }
}

TEST(Run, KnowsWhatIsMissing) {
    const auto where = folder("missing");
    const auto path = counted(where);
    forge_extension(path, [](auto& extension) {
        extension.uncounted_programs = 2;
        std::strcpy(extension.first_uncounted, "/bin/su");
        extension.uncounted_vcpus = 1;
    });
    const auto run = read_run(where);
    ASSERT_TRUE(run);
    EXPECT_THAT(run->notes(),
                ::testing::ElementsAre(::testing::HasSubstr("programs that ran uncounted: 2"),
                                       ::testing::HasSubstr("threads beyond 1024")));
    EXPECT_FALSE(read_run("/no/such/folder"));
}

}  // namespace
}  // namespace ringside::soft
