// The file in which the high-level interface reports: papi_hl_output/rank_NNNNNN.json.
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/text.h"
#include "papi/high_level.h"
#include "papi/library.h"
#include "papi/machine.h"

namespace ringside::papi {

namespace {

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

// An object, its members on lines of their own. PAPI writes numbers as strings.
class Object {
  public:
    explicit Object(int depth) : indent_(static_cast<std::size_t>(depth) * 2, ' ') {}

    void add(std::string_view key, const std::string& value) {
        text_ += fmt::format("{}\n{}  {}:{}", text_.empty() ? "" : ",", indent_, json_string(key),
                             value);
    }
    void add_text(std::string_view key, std::string_view value) { add(key, json_string(value)); }
    void add_number(std::string_view key, long long value) {
        add(key, json_string(std::to_string(value)));
    }
    std::string done() const { return "{" + text_ + "\n" + indent_ + "}"; }

  private:
    std::string indent_;
    std::string text_;
};

std::string definitions(const std::vector<RegionEvent>& events) {
    Object all(1);
    for (const auto& event : events) {
        Object one(2);
        one.add_text("component", library().catalogue().defaults(event.component).name);
        one.add_text("type", event.instant ? "instant" : "delta");
        all.add(event.name, one.done());
    }
    return all.done();
}

std::string name_of_value(const std::vector<RegionEvent>& events, std::size_t index) {
    if (index == 0) return "cycles";
    return index == 1 ? "real_time_nsec" : events[index - 2].name;
}

std::string region_object(const std::vector<RegionEvent>& events, const Region& region) {
    Object out(4);
    out.add_text("name", region.name);
    out.add_number("parent_region_id", region.parent);
    for (std::size_t i = 0; i < region.values.size(); ++i) {
        if (region.reads.empty()) {
            out.add_number(name_of_value(events, i), region.values[i]);
            continue;
        }
        Object value(5);
        value.add_number("region_value", region.values[i]);
        for (std::size_t read = 0; read < region.reads.size(); ++read) {
            value.add_number(fmt::format("read_{}", read + 1), region.reads[read][i]);
        }
        out.add(name_of_value(events, i), value.done());
    }
    return out.done();
}

std::string threads_object(const RegionReport& report) {
    Object threads(1);
    int number = 0;
    for (const auto& [id, regions] : report.threads) {
        Object list(3);
        for (const auto& region : regions) {
            if (region.ended)
                list.add(std::to_string(region.id), region_object(report.events, region));
        }
        Object thread(2);
        thread.add("regions", list.done());
        threads.add(std::to_string(number++), thread.done());
    }
    return threads.done();
}

// The rank that an MPI start-up gave to this process, or a number of its own.
long rank() {
    constexpr std::array names = {"OMPI_COMM_WORLD_RANK", "ALPS_APP_PE", "PMI_RANK",
                                  "SLURM_PROCID"};
    for (const char* name : names) {
        const char* text = std::getenv(name);
        const auto value = text == nullptr ? std::nullopt : base::parse_i64(text);
        if (value && *value >= 0) return *value;
    }
    return ::getpid() % 1'000'000;
}

// A folder of an earlier run keeps its results under the time they were moved aside at. Processes
// of one run that start within a second share the folder.
void move_old_aside(const std::string& folder) {
    struct stat status {};
    const std::time_t now = std::time(nullptr);
    if (::stat(folder.c_str(), &status) != 0 || status.st_mtime >= now) return;
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 32> stamp{};
    std::strftime(stamp.data(), stamp.size(), "-%Y%m%d-%H%M%S", &local);
    (void)::rename(folder.c_str(), (folder + stamp.data()).c_str());
}

std::string output_folder() {
    const char* parent = std::getenv("PAPI_OUTPUT_DIRECTORY");
    return std::string(parent != nullptr ? parent : ".") + "/papi_hl_output";
}

// Whole, under the first name that no other process has: ranks can collide where nobody hands them
// out.
bool write_new_file(const std::string& folder, const std::string& content) {
    const auto name = [](long number) { return fmt::format("rank_{:06}.json", number); };
    long number = rank();
    auto draft = base::Draft::beside(folder + "/" + name(number), 0644);
    if (!draft || !base::write_all(draft->fd(), content, folder)) return false;
    while (true) {
        const auto published = draft->publish_as_new(name(number++));
        if (!published || *published) return published.has_value();
    }
}

}  // namespace

std::string to_json(const RegionReport& report) {
    const auto& hardware = hardware_info();
    Object file(0);
    file.add_text("papi_version",
                  fmt::format("{}.{}.{}.{}", PAPI_VERSION_MAJOR(PAPI_VERSION),
                              PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
                              PAPI_VERSION_INCREMENT(PAPI_VERSION)));
    file.add_text("cpu_info", hardware.model_string);
    file.add_number("max_cpu_rate_mhz", hardware.cpu_max_mhz);
    file.add_number("min_cpu_rate_mhz", hardware.cpu_min_mhz);
    file.add("event_definitions", definitions(report.events));
    file.add("threads", threads_object(report));
    return file.done() + "\n";
}

bool write_report(const RegionReport& report) {
    const std::string folder = output_folder();
    move_old_aside(folder);
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) return false;
    const std::string json = to_json(report);
    if (std::getenv("PAPI_REPORT") != nullptr) {
        std::printf("\n\nPAPI-HL Output:\n%s\n", json.c_str());
    }
    return write_new_file(folder, json);
}

}  // namespace ringside::papi
