// What a machine says, however much and however it is cut.
#include "guest/relay.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "../../scratch.h"
#include "guest/bounded_log.h"

namespace ringside::guest {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> lines_of(const std::vector<std::string>& parts) {
    std::vector<std::string> lines;
    {
        LineSplitter splitter([&](std::string_view line) { lines.emplace_back(line); });
        for (const auto& part : parts) splitter(part);
    }
    return lines;
}

TEST(LineSplitter, DoesNotCareHowBytesAreCut) {
    EXPECT_THAT(lines_of({"a", "b\nc", "\n\nd"}), ElementsAre("ab", "c", "", "d"));
}

TEST(LineSplitter, GivesALineWithoutEndInPieces) {
    const std::string piece(LineSplitter::most_bytes, 'x');
    EXPECT_THAT(lines_of({piece + piece + "y\nz"}), ElementsAre(piece, piece, "y", "z"));
    EXPECT_THAT(lines_of({piece, "\n", "z\n"}), ElementsAre(piece, "", "z"));
    std::size_t longest = 0;
    {
        LineSplitter splitter(
            [&](std::string_view line) { longest = std::max(longest, line.size()); });
        for (int i = 0; i < 100; ++i) splitter(piece);
    }
    EXPECT_EQ(longest, LineSplitter::most_bytes);
}

// A process that writes to a pipe as a machine to its port, and what came.
struct Relayed {
    RelayEnd end;
    std::size_t bytes = 0;
};

Relayed relayed(const std::string& shell, std::uint64_t most_bytes) {
    Relayed result{};
    std::vector<Stream> streams;
    base::Fd write_end;
    auto stream = make_stream([&](std::string_view bytes) { result.bytes += bytes.size(); },
                              write_end, most_bytes);
    EXPECT_TRUE(stream);
    streams.push_back(std::move(*stream));
    base::SpawnOptions options;
    options.stdout_fd = write_end.get();
    auto process = base::spawn({"sh", "-c", shell}, options);
    EXPECT_TRUE(process);
    write_end.reset();
    result.end = relay(streams, *process, std::chrono::minutes(5), -1);
    return result;
}

TEST(Relay, CarriesAllThatIsAllowed) {
    const Relayed result = relayed("head -c 1000000 /dev/zero", 1'000'000);
    EXPECT_EQ(result.end, RelayEnd::process_ended);
    EXPECT_EQ(result.bytes, 1'000'000u);
}

TEST(Relay, StopsAtOneByteMore) {
    EXPECT_EQ(relayed("head -c 1000001 /dev/zero", 1'000'000).end, RelayEnd::sent_too_much);
}

TEST(Relay, StopsWhatNeverPauses) {
    const Relayed result = relayed("exec cat /dev/zero", 50'000'000);
    EXPECT_EQ(result.end, RelayEnd::sent_too_much);
    EXPECT_LE(result.bytes, 50'000'000u);
}

TEST(BoundedLog, KeepsTheEnd) {
    const fs::path path = scratch::file("bounded.log");
    auto log = BoundedLog::make(path, 1000);
    ASSERT_TRUE(log);
    std::string all;
    for (int i = 0; i < 500; ++i) {
        const std::string line = "line " + std::to_string(i) + "\n";
        all += line;
        log->write(line);
        const std::string kept = read_file(path).value();
        ASSERT_LE(kept.size(), 1000u);
        ASSERT_GE(kept.size(), std::min<std::size_t>(all.size(), 500));
        ASSERT_TRUE(all.ends_with(kept));
    }
    log->write(std::string(5000, 'x') + "end");
    const std::string kept = read_file(path).value();
    EXPECT_LE(kept.size(), 1000u);
    EXPECT_TRUE(kept.ends_with("xend"));
}

}  // namespace
}  // namespace ringside::guest
