// The folder of a side, written where it was measured and read where it is compared; the only code
// that knows its files. It holds side.json ("ringside.run/1") and for each finished run N, from 1
// on, N/stat.json ("ringside.stat/1"), N/report.json ("ringside.report/1"), N/stacks.json
// ("ringside.stacks/1") and N/intervals.jsonl (lines of "ringside.stat.interval/1"); of an
// execution that was sampled in software N/soft-report.json. Those who measure add N/samples.data
// (perf.data), N/stdout and N/stderr, and exits.json ("ringside.kvm-stat/1"), what a host counted
// of its guest.
//
// Values go with their unit and state. Folders of earlier versions are read: they lack intervals,
// stacks, and the units of sampled events.
#pragma once

#include <filesystem>
#include <string>

#include <ringside/result.h>

#include "base/json.h"
#include "run/run.h"

namespace ringside::run {

// What only those know who sent for the side: they booted the machine it ran in, or brought its
// runs here one by one. It is theirs to write, into place.json ("ringside.place/1"), and goes
// before what side.json says, which nobody rewrites.
struct PlaceFacts {
    std::optional<SideKind> kind{};
    std::string co_run{};              // in a place of its own
    std::vector<std::string> notes{};  // besides those of the side
    std::optional<int> runs{};
};
Result<void> write_place(const std::string& folder, const PlaceFacts& facts);

constexpr const char* side_file = "side.json";
constexpr const char* exits_file = "exits.json";
constexpr const char* place_file = "place.json";

// It holds the runs of one side.
bool is_folder(const std::string& folder);

// One side, with the runs that were finished. Whatever lies there, it is read or refused.
Result<Side> read_folder(const std::string& folder);

class FolderWriter {
  public:
    // The folder must not exist, or be empty. The runs of `side` are those that are added.
    static Result<FolderWriter> create(const std::string& folder, Side side);

    // Where the files of run `number` belong.
    std::filesystem::path run_folder(int number) const;
    // The next run; its folder may hold files already. A run counts once all of it is there. What
    // it says of its side is said once.
    Result<void> add(const Run& run);

  private:
    FolderWriter(std::filesystem::path path, Side side)
        : path_(std::move(path)), side_(std::move(side)) {}
    std::filesystem::path path_;
    Side side_;
    int runs_ = 0;
};

// A value as "ringside.stat/1" has it.
base::Json measurement_json(const Measurement& value);
base::Json number_json(double value);

}  // namespace ringside::run
