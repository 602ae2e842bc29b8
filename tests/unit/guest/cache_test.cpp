#include "guest/cache.h"

#include <gmock/gmock.h>

#include "base/scratch_dir.h"

namespace ringside::guest {
namespace {

TEST(Cache, CleaningRemovesWhatIsOursAndNothingElse) {
    const auto folder = base::ScratchDir::make("ringside-cache-test");
    ASSERT_TRUE(folder);
    const fs::path cache = folder->path();
    for (const char* file : {"packages/amd64/tools-1/root/usr/bin/x", "kernels/a.elf",
                             "drivers/a.ko", "layers/a.cpio", "kvm/v"}) {
        ASSERT_TRUE(make_directories((cache / file).parent_path()));
        ASSERT_TRUE(write_file(cache / file, "12345"));
    }
    ASSERT_TRUE(write_file(cache / "mine", "1"));
    EXPECT_EQ(cached_bytes(cache), 20u);
    ASSERT_TRUE(clean_cache(cache));
    EXPECT_EQ(cached_bytes(cache), 0u);
    EXPECT_TRUE(fs::exists(cache / "mine"));
    for (const char* gone : {"packages", "kernels", "drivers", "layers", "kvm"}) {
        EXPECT_FALSE(fs::exists(cache / gone)) << gone;
    }
}

TEST(Cache, AnEmptyOneHasNothingAndIsCleanedAllTheSame) {
    const auto folder = base::ScratchDir::make("ringside-cache-test");
    ASSERT_TRUE(folder);
    const fs::path cache = folder->path() / "not there";
    EXPECT_EQ(cached_bytes(cache), 0u);
    EXPECT_TRUE(clean_cache(cache));
    for (const auto* kind : KindTable::built_in().bootable()) {
        EXPECT_FALSE(is_set_up(cache, *kind)) << kind->name;
    }
    EXPECT_FALSE(fs::exists(cache));
}

}  // namespace
}  // namespace ringside::guest
