#include "merge/merge.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "merge/merged_file.h"

namespace ringside::merge {

namespace {

// A recording, and what its other records say.
struct Input {
    std::string path;
    std::optional<perf::DataFile> file;
    std::map<std::uint32_t, std::string> names;  // of threads
    std::uint64_t lost = 0;
};

void take_side(const perf::DataRecord& record, perf::ByteOrder order, Input& input) {
    perf::FieldCursor cursor(record.body, order);
    if (record.type == PERF_RECORD_COMM) {
        cursor.skip(sizeof(std::uint32_t));
        const std::uint32_t tid = cursor.u32();
        const std::string name(cursor.text());
        if (cursor.ok()) input.names[tid] = name;
    } else if (record.type == PERF_RECORD_LOST || record.type == PERF_RECORD_LOST_SAMPLES) {
        if (record.type == PERF_RECORD_LOST) cursor.skip(sizeof(std::uint64_t));
        const std::uint64_t count = cursor.u64();
        if (cursor.ok()) input.lost += count;
    }
}

Result<Input> open_input(const std::string& path) {
    Input input;
    input.path = path;
    auto file = perf::DataFile::open(
        path, [&](const perf::DataFile& opened, const perf::DataRecord& record) {
            take_side(record, opened.order(), input);
        });
    if (!file) return file.error();
    input.file = std::move(*file);
    return input;
}

bool same_file(const std::string& a, const std::string& b) {
    struct stat first {};
    struct stat second {};
    return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

Result<void> check_request(const Request& request) {
    std::vector<std::string> files{request.host_file};
    std::set<std::string> names;
    for (const auto& guest : request.guests) {
        for (const auto& other : files)
            if (same_file(other, guest.file))
                return base::fail(ErrorCode::bad_input,
                                  guest.file +
                                      " is given twice: a recording is of the host or of "
                                      "one guest",
                                  "ringside merge host.data guest.data");
        files.push_back(guest.file);
        if (!names.insert(guest.name).second)
            return base::fail(ErrorCode::bad_input, "two guests are called " + guest.name,
                              "name them: ringside merge host.data NAME=guest.data OTHER=...");
    }
    for (const auto& file : files)
        if (!request.output.empty() && same_file(file, request.output))
            return base::fail(ErrorCode::bad_input, file + " would be overwritten by the result",
                              "give another file with -o");
    return {};
}

class Merging {
  public:
    explicit Merging(const Request& request) : request_(request) {}

    Result<MergeReport> run() {
        if (auto done = check_request(request_); !done) return done.error();
        if (auto done = read_all(); !done) return done.error();
        for (std::size_t i = 0; i < guests_.size(); ++i)
            if (auto done = place(i); !done) return done.error();
        if (auto done = check_places(); !done) return done.error();
        if (!request_.output.empty()) {
            if (auto done = write(); !done) return done.error();
        }
        return std::move(report_);
    }

  private:
    Result<void> read_all() {
        auto host = open_input(request_.host_file);
        if (!host) return host.error();
        host_ = std::move(*host);
        auto view = read_host(*host_.file, host_.path, host_.names);
        if (!view) return view.error();
        view_ = std::move(*view);
        for (const auto& guest : request_.guests) {
            auto input = open_input(guest.file);
            if (!input) return input.error();
            guests_.push_back(std::move(*input));
        }
        describe_host();
        return {};
    }

    void describe_host() {
        report_.host_file = host_.path;
        report_.host_first_ns = view_.first_ns;
        report_.host_last_ns = view_.last_ns;
        report_.host_lost = host_.lost;
        report_.sees_steal = view_.sees_switches;
        report_.sees_wakeups = view_.sees_wakeups;
        report_.sees_vmm = view_.sees_vmm;
        warn(host_);
        if (host_.lost > 0)
            report_.warnings.push_back(
                fmt::format("{}: {} records were lost: where entries or exits are missing, what "
                            "the vCPU did is "
                            "unknown",
                            host_.path, host_.lost));
    }

    void warn(const Input& input) {
        for (const auto& warning : input.file->warnings()) report_.warnings.push_back(warning);
    }

    Result<void> place(std::size_t index) {
        const GuestInput& wanted = request_.guests[index];
        const Input& input = guests_[index];
        warn(input);
        auto guest = read_guest(*input.file, input.path);
        if (!guest) return guest.error();
        const auto known = known_clocks(host_.file->context(), input.file->context());
        auto match = match_guest(view_, *guest, known, wanted.wanted, input.path);
        if (!match) return match.error();
        for (const auto& note : match->notes) report_.warnings.push_back(input.path + ": " + note);
        describe_guest(wanted, *guest, *match);
        placed_.push_back(placed(wanted, input, *guest, *match));
        return {};
    }

    void describe_guest(const GuestInput& wanted, const GuestView& guest, const Match& match) {
        GuestReport report;
        report.name = wanted.name;
        report.file = wanted.file;
        report.pid = match.pid;
        report.source = match.source;
        const ClockMap& map = match.fit.map;
        report.host_time = {map.to_host(guest.first_ns), map.to_host(guest.last_ns)};
        report.offset_ns = static_cast<std::int64_t>(report.host_time.from_ns - guest.first_ns);
        report.drift_ppm = map.drift_ppm();
        report.uncertainty_ns = match.fit.uncertainty_ns;
        report.vcpus_matched = match.vcpus_matched;
        const auto pairs = pairs_of(view_, guest, match);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const VcpuThread& thread = view_.threads[match.threads[i]];
            VcpuReport vcpu;
            vcpu.guest_cpu = guest.cpus[i].cpu;
            vcpu.vcpu = thread.vcpu;
            vcpu.tid = thread.tid;
            vcpu.agreement = agreement(map, pairs[i], {view_.first_ns, view_.last_ns});
            report.agreement += vcpu.agreement;
            const auto from = std::lower_bound(thread.exits_ns.begin(), thread.exits_ns.end(),
                                               report.host_time.from_ns);
            const auto to = std::upper_bound(from, thread.exits_ns.end(), report.host_time.to_ns);
            vcpu.exits = static_cast<std::uint64_t>(to - from);
            vcpu.host_ns = thread.times(report.host_time.from_ns, report.host_time.to_ns);
            vcpu.guest_stolen_ns = guest.cpus[i].stolen_ns;
            report.vcpus.push_back(vcpu);
        }
        report_.guests.push_back(std::move(report));
    }

    PlacedGuest placed(const GuestInput& wanted, const Input& input, const GuestView& guest,
                       const Match& match) const {
        PlacedGuest result;
        result.name = wanted.name;
        result.file = &*input.file;
        result.machine_pid = match.pid;
        result.clock = match.fit.map;
        result.host_time = report_.guests.back().host_time;
        for (std::size_t i = 0; i < match.threads.size(); ++i)
            result.vcpus[guest.cpus[i].cpu] = &view_.threads[match.threads[i]];
        return result;
    }

    Result<void> check_places() const {
        for (std::size_t i = 0; i < placed_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (placed_[i].machine_pid == placed_[j].machine_pid)
                    return base::fail(
                        ErrorCode::bad_input,
                        fmt::format("{} and {} both come from the machine of process {}",
                                    request_.guests[j].file, request_.guests[i].file,
                                    placed_[i].machine_pid),
                        "give one recording for each guest");
        return {};
    }

    Result<void> write() {
        MergedRecords records;
        if (auto done = records.add_host(*host_.file, placed_); !done) return done;
        for (const auto& guest : placed_)
            if (auto done = records.add_guest(guest); !done) return done;
        records.sort();
        report_.output = request_.output;
        report_.host_samples = records.host_samples();
        report_.guest_samples = records.guest_samples();
        report_.replaced_samples = records.replaced_samples();
        return write_merged(request_.output, *host_.file, placed_, records,
                            {request_.version, request_.command_line});
    }

    const Request& request_;
    Input host_;
    HostView view_;
    std::vector<Input> guests_;
    std::vector<PlacedGuest> placed_;
    MergeReport report_;
};

}  // namespace

Result<MergeReport> merge(const Request& request) {
    return Merging(request).run();
}

}  // namespace ringside::merge
