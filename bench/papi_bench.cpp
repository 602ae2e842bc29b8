// PAPI's calls in this build's library beside the same calls in Debian's, in one run: medians with
// quartiles, system calls counted by a tracer, user instructions counted by callgrind. The last two
// do not depend on how busy the machine is.
//   papi_bench [OURS [PEER]]          prints a table and writes papi_bench.json
//   papi_bench once LIBRARY CALL N    makes the call N times, for callgrind
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ringside/papi/papi.h>

#include "base/process.h"

namespace {

constexpr const char* default_peer = "libpapi.so.7.0";

// The functions of one libpapi, whichever version it is.
class Library {
  public:
    explicit Library(const std::string& path)
        : path_(path), handle_(::dlopen(path.c_str(), RTLD_NOW)) {
        if (handle_ == nullptr) {
            std::fprintf(stderr, "papi_bench: %s\n", ::dlerror());
            std::exit(1);
        }
    }

    template <typename Function>
    Function* call(const char* name) const {
        return reinterpret_cast<Function*>(::dlsym(handle_, name));
    }
    int version() const {
        return call<int(int, void*)>("PAPI_get_opt")(PAPI_LIB_VERSION, nullptr) &
               static_cast<int>(0xffff0000);
    }
    bool init() const { return call<int(int)>("PAPI_library_init")(version()) == version(); }

    // A set of the first `events` of these, which every kernel counts; but a libpapi does not count
    // them on every processor.
    std::optional<int> set_of(int events) const {
        constexpr std::array names = {"perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::MINOR-FAULTS",
                                      "perf::MAJOR-FAULTS"};
        int set = PAPI_NULL;
        call<int(int*)>("PAPI_create_eventset")(&set);
        for (int i = 0; i < events; ++i) {
            const char* name = names[static_cast<std::size_t>(i)];
            const int added = call<int(int, const char*)>("PAPI_add_named_event")(set, name);
            if (added != PAPI_OK) {
                std::fprintf(stderr, "papi_bench: not measured: %s does not count %s here (%s)\n",
                             path_.c_str(), name, call<char*(int)>("PAPI_strerror")(added));
                return std::nullopt;
            }
        }
        return set;
    }

  private:
    std::string path_;
    void* handle_;
};

using Body = std::function<void()>;  // empty where the library cannot do it

struct Operation {
    const char* name;
    const char* key;
    int calls_per_batch;
    std::function<Body(const Library&)> prepare;
};

void demand(int result, const char* what) {
    if (result == PAPI_OK) return;
    std::fprintf(stderr, "papi_bench: %s failed with %d\n", what, result);
    std::exit(1);
}

// A set as long as the body lives that uses it: a thread has one running set of a component.
std::shared_ptr<const int> make_set(const Library& library, int events) {
    const auto made = library.set_of(events);
    if (!made) return nullptr;
    return {new int(*made), [&library](const int* set) {
                int state = 0;
                demand(library.call<int(int, int*)>("PAPI_state")(*set, &state), "PAPI_state");
                if ((state & PAPI_RUNNING) != 0) {
                    demand(library.call<int(int, long long*)>("PAPI_stop")(*set, nullptr),
                           "PAPI_stop");
                }
                demand(library.call<int(int)>("PAPI_cleanup_eventset")(*set), "PAPI_cleanup");
                delete set;
            }};
}

Body reader(const Library& library, int events) {
    auto set = make_set(library, events);
    if (!set) return {};
    demand(library.call<int(int)>("PAPI_start")(*set), "PAPI_start");
    return [set, read = library.call<int(int, long long*)>("PAPI_read")] {
        std::array<long long, 4> values;
        demand(read(*set, values.data()), "PAPI_read");
    };
}

Body starter(const Library& library, int events) {
    auto set = make_set(library, events);
    if (!set) return {};
    return [set, start = library.call<int(int)>("PAPI_start"),
            stop = library.call<int(int, long long*)>("PAPI_stop")] {
        std::array<long long, 4> values;
        demand(start(*set), "PAPI_start");
        demand(stop(*set, values.data()), "PAPI_stop");
    };
}

Body clock(const Library& library, const char* name) {
    return [read = library.call<long long()>(name)] { read(); };
}

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all = {
        {"real clock, ns", "real_nsec", 10'000,
         [](const Library& lib) { return clock(lib, "PAPI_get_real_nsec"); }},
        {"real clock, cycles", "real_cyc", 10'000,
         [](const Library& lib) { return clock(lib, "PAPI_get_real_cyc"); }},
        {"virtual clock", "virt_nsec", 2'000,
         [](const Library& lib) { return clock(lib, "PAPI_get_virt_nsec"); }},
        {"read 1 software event", "read_1", 1'000,
         [](const Library& lib) { return reader(lib, 1); }},
        {"read 4 software events", "read_4", 1'000,
         [](const Library& lib) { return reader(lib, 4); }},
        {"start and stop 1", "start_stop_1", 500,
         [](const Library& lib) { return starter(lib, 1); }},
        {"start and stop 4", "start_stop_4", 500,
         [](const Library& lib) { return starter(lib, 4); }},
    };
    return all;
}

struct Cost {
    double median_ns = 0;
    double low_ns = 0;  // quartiles
    double high_ns = 0;
    std::optional<int> system_calls;
    std::optional<long> instructions;
};

Cost quartiles(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return {samples[samples.size() / 2],
            samples[samples.size() / 4],
            samples[samples.size() * 3 / 4],
            {},
            {}};
}

double time_batch(const Body& body, int calls) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) body();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / calls;
}

// How often a child is stopped at system calls between two signals it sends itself.
std::optional<int> stops_in(const Body& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
        ::kill(::getpid(), SIGSTOP);
        body();
        ::kill(::getpid(), SIGSTOP);
        ::_exit(0);
    }
    int status = 0;
    int marks = 0;
    int stops = 0;
    while (::waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        if (WSTOPSIG(status) == SIGSTOP) ++marks;
        if (WSTOPSIG(status) == SIGTRAP && marks == 1) ++stops;
        if (marks == 2) ::kill(child, SIGKILL);
        ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    }
    return marks == 2 ? std::optional(stops) : std::nullopt;
}

// Twice for each call; what the signals themselves add is measured too.
std::optional<int> system_calls(const Body& body) {
    static const auto for_nothing = stops_in([] {});
    const auto stops = stops_in(body);
    if (!stops || !for_nothing) return std::nullopt;
    return (*stops - *for_nothing) / 2;
}

std::optional<long> collected(const std::string& library, const char* key, int calls) {
    const auto self = std::string("/proc/self/exe");
    char path[4096] = "";
    if (::readlink(self.c_str(), path, sizeof path - 1) < 0) return std::nullopt;
    const auto run =
        ringside::base::run({"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", path,
                             "once", library, key, std::to_string(calls)});
    if (!run || run->status.shell_code() != 0) return std::nullopt;
    const auto at = run->stderr_text.find("Collected : ");
    if (at == std::string::npos) return std::nullopt;
    return std::strtol(run->stderr_text.c_str() + at + std::strlen("Collected : "), nullptr, 10);
}

// The difference of two runs: what comes before and after the calls is the same in both.
std::optional<long> instructions(const std::string& library, const char* key) {
    const auto few = collected(library, key, 100);
    const auto many = collected(library, key, 1100);
    return few && many ? std::optional((*many - *few) / 1000) : std::nullopt;
}

// The two libraries take turns, so that what disturbs the machine disturbs both.
std::array<Cost, 2> measure(const Operation& operation, const std::array<Library, 2>& libraries,
                            const std::array<std::string, 2>& paths) {
    constexpr int batches = 41;
    std::array<std::vector<double>, 2> samples;
    std::array<Body, 2> bodies = {operation.prepare(libraries[0]), operation.prepare(libraries[1])};
    for (int batch = 0; batch < batches; ++batch) {
        for (std::size_t i = 0; i < 2; ++i) {
            if (!bodies[i]) continue;
            samples[i].push_back(time_batch(bodies[i], operation.calls_per_batch));
        }
    }
    std::array<Cost, 2> costs;
    for (std::size_t i = 0; i < 2; ++i) {
        if (!bodies[i]) continue;
        costs[i] = quartiles(samples[i]);
        costs[i].system_calls = system_calls(bodies[i]);
        costs[i].instructions = instructions(paths[i], operation.key);
    }
    return costs;
}

// In a process of its own each time; loading the library is not part of it.
Cost initialization(const std::string& path) {
    std::vector<double> samples;
    for (int run = 0; run < 15; ++run) {
        int ends[2];
        if (::pipe(ends) != 0) break;
        const pid_t child = ::fork();
        if (child == 0) {
            const Library library(path);
            const double ns = time_batch([&] { library.init(); }, 1);
            ::_exit(::write(ends[1], &ns, sizeof ns) == sizeof ns ? 0 : 1);
        }
        ::close(ends[1]);
        double ns = 0;
        if (::read(ends[0], &ns, sizeof ns) == sizeof ns) samples.push_back(ns);
        ::waitpid(child, nullptr, 0);
        ::close(ends[0]);
    }
    return samples.empty() ? Cost{} : quartiles(samples);
}

std::string number(const std::optional<long>& value) {
    return value ? std::to_string(*value) : "-";
}

// A median with its quartiles; an operation takes time, so none says that it was not measured.
std::string time(const Cost& cost) {
    if (cost.median_ns == 0) return "-";
    return fmt::format("{:.0f} ({:.0f}-{:.0f})", cost.median_ns, cost.low_ns, cost.high_ns);
}

std::string ratio(const Cost& ours, const Cost& peer) {
    if (ours.median_ns == 0 || peer.median_ns == 0) return "-";
    return fmt::format("{:.2f}", ours.median_ns / peer.median_ns);
}

std::string wide(const std::optional<int>& value) {
    return number(value ? std::optional<long>(*value) : std::nullopt);
}

class Report {
  public:
    Report() {
        fmt::print(
            "| operation | ns (quartiles) | PAPI's | ratio | system calls | PAPI's | instructions "
            "| PAPI's |\n|---|---|---|---|---|---|---|---|\n");
    }

    void add(const char* name, const Cost& ours, const Cost& peer) {
        fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} |\n", name, time(ours), time(peer),
                   ratio(ours, peer), wide(ours.system_calls), wide(peer.system_calls),
                   number(ours.instructions), number(peer.instructions));
        std::fflush(stdout);
        json_ += fmt::format("{}\n  \"{}\": {{\"ours\": {}, \"papi\": {}}}",
                             json_.empty() ? "" : ",", name, object(ours), object(peer));
    }

    void write(const char* path) const {
        if (std::FILE* file = std::fopen(path, "w")) {
            fmt::print(file, "{{{}\n}}\n", json_);
            std::fclose(file);
        }
    }

  private:
    static std::string null_or(const std::string& text) { return text == "-" ? "null" : text; }
    static std::string object(const Cost& cost) {
        if (cost.median_ns == 0) return "null";
        return fmt::format(
            "{{\"median_ns\": {:.1f}, \"low_ns\": {:.1f}, \"high_ns\": {:.1f}, "
            "\"system_calls\": {}, \"instructions\": {}}}",
            cost.median_ns, cost.low_ns, cost.high_ns, null_or(wide(cost.system_calls)),
            null_or(number(cost.instructions)));
    }

    std::string json_;
};

int call_often(char** arguments) {
    const Library library(arguments[2]);
    if (!library.init()) return 1;
    for (const auto& operation : operations()) {
        if (std::strcmp(operation.key, arguments[3]) != 0) continue;
        const Body body = operation.prepare(library);
        if (!body) return 1;
        for (int i = std::atoi(arguments[4]); i > 0; --i) body();
        return 0;
    }
    return 1;
}

void stay_on_one_cpu() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ::sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 5 && std::strcmp(arguments[1], "once") == 0) return call_often(arguments);
    const std::array<std::string, 2> paths = {count > 1 ? arguments[1] : RINGSIDE_PAPI_LIBRARY,
                                              count > 2 ? arguments[2] : default_peer};
    stay_on_one_cpu();
    const Cost our_init = initialization(paths[0]);
    const Cost peer_init = initialization(paths[1]);
    const std::array<Library, 2> libraries = {Library(paths[0]), Library(paths[1])};
    if (!libraries[0].init() || !libraries[1].init()) return 1;
    Report report;
    for (const auto& operation : operations()) {
        const auto [ours, peer] = measure(operation, libraries, paths);
        report.add(operation.name, ours, peer);
    }
    report.add("library initialization", our_init, peer_init);
    report.write("papi_bench.json");
    return 0;
}
