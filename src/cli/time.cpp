// `ringside time`: what a command really got of the CPU, stolen time set apart.
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ringside/clocks.h>

#include "cli/run_command.h"
#include "cli/verbs.h"

namespace ringside::cli {

namespace {

std::string seconds(const std::optional<std::uint64_t>& ns) {
    return ns ? fmt::format("{:12.6f} s", static_cast<double>(*ns) / 1e9) : "           ? s";
}

std::string text_of(const Times& times, const base::ExitStatus& status) {
    const Steal& steal = times.steal;
    std::string how =
        steal.ns ? fmt::format("+- {:.6f} s, by {}", static_cast<double>(steal.error_ns) / 1e9,
                               to_string(steal.method))
                 : std::string("not known");
    if (!steal.reason.empty()) how += ": " + steal.reason;
    return fmt::format(
        "\n{}  real, from start to end\n"
        "{}  CPU time, as the kernel charges it\n"
        "{}  occupied: held a CPU, as this machine sees it\n"
        "{}  stolen by the hypervisor ({})\n"
        "{}  executed: occupied without what was stolen\n"
        "           {:3}    exit code\n",
        seconds(times.real_ns), seconds(times.cpu_ns), seconds(times.occupied_ns),
        seconds(steal.ns), how, seconds(times.compensated_ns), status.shell_code());
}

nlohmann::ordered_json value_or_null(const std::optional<std::uint64_t>& ns) {
    return ns ? nlohmann::ordered_json(*ns) : nlohmann::ordered_json(nullptr);
}

std::string json_of(const std::vector<std::string>& command, const Times& times,
                    const base::ExitStatus& status) {
    const Steal& steal = times.steal;
    nlohmann::ordered_json json;
    json["schema"] = "ringside.time/1";
    json["command"] = command;
    json["exit_code"] = status.shell_code();
    json["time"] = {{"wall_ns", times.real_ns},
                    {"cpu_ns", value_or_null(times.cpu_ns)},
                    {"occupied_ns", value_or_null(times.occupied_ns)},
                    {"stolen_ns", value_or_null(steal.ns)},
                    {"executed_ns", value_or_null(times.compensated_ns)}};
    json["steal"] = {
        {"method", to_string(steal.method)}, {"error_ns", nullptr}, {"reason", nullptr}};
    if (steal.ns) json["steal"]["error_ns"] = steal.error_ns;
    if (!steal.reason.empty()) json["steal"]["reason"] = steal.reason;
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string csv_of(const Times& times, const base::ExitStatus& status) {
    const auto field = [](const std::optional<std::uint64_t>& ns) {
        return ns ? std::to_string(*ns) : std::string();
    };
    return fmt::format(
        "wall_ns,cpu_ns,occupied_ns,stolen_ns,executed_ns,steal_error_ns,steal_method,exit_code\n"
        "{},{},{},{},{},{},{},{}\n",
        times.real_ns, field(times.cpu_ns), field(times.occupied_ns), field(times.steal.ns),
        field(times.compensated_ns),
        times.steal.ns ? std::to_string(times.steal.error_ns) : std::string(),
        to_string(times.steal.method), status.shell_code());
}

class TimeVerb final : public Verb {
  public:
    std::string name() const override { return "time"; }
    std::string summary() const override {
        return "run a command and set stolen time apart from CPU time";
    }
    std::string examples() const override {
        return "  ringside time -- make -j4          the whole process tree of make\n"
               "  ringside time --json -- ./a.out    JSON on stdout, a.out's output on stderr\n"
               "  ringside time --csv -o t.csv -- ./a.out\n";
    }
    void declare(Options& options) override {
        declare_output(options, output_, true);
        options.command(command_);
    }

    Outcome run() override {
        const Clocks clocks = Clocks::open();
        std::optional<Clock> clock;
        CommandHooks hooks;
        hooks.before = [&](pid_t pid) -> Result<void> {
            auto opened = clocks.process(pid, Follow::children);
            if (!opened) return opened.error();
            clock.emplace(std::move(*opened));
            return {};
        };
        hooks.after = [&](const base::ExitStatus& status) {
            Times times = clock->read();
            // Without BPF nobody adds up the CPU time of a tree but wait(), at its end.
            if (!times.cpu_ns) times.cpu_ns = status.cpu_ns;
            return report(times, status);
        };
        return run_command(command_, output_, hooks);
    }

  private:
    Result<void> report(const Times& times, const base::ExitStatus& status) const {
        if (output_.json) return deliver(output_, json_of(command_, times, status));
        if (output_.csv) return deliver(output_, csv_of(times, status));
        const std::string text = text_of(times, status);
        if (!output_.file.empty()) return deliver(output_, text);
        std::fwrite(text.data(), 1, text.size(), stderr);
        return {};
    }

    OutputChoice output_;
    std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<Verb> make_time() {
    return std::make_unique<TimeVerb>();
}

}  // namespace ringside::cli
