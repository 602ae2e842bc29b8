#include "cli/measure_options.h"

namespace ringside::cli {

void declare_targets(Options& options, measure::TargetWords& words) {
    options.text("-p, --pid", "PIDS", words.pids, "these processes, with what they start");
    options.text("-t, --tid", "TIDS", words.tids, "these threads alone");
    options.flag("-a, --all-cpus", words.all, "everything that runs, on all CPUs");
    options.text("-C, --cpu", "LIST", words.cpus, "everything that runs on these CPUs: 0-3,8");
    options.text("--cgroup", "PATH", words.cgroup,
                 "what runs in a cgroup: its path below /sys/fs/cgroup");
}

void declare_breakdown(Options& options, measure::TargetWords& words) {
    options.flag("--per-thread", words.per_thread, "with -p or -t: each thread for itself");
    options.flag("--per-cpu", words.per_cpu, "with -a or -C: each CPU for itself");
}

void declare_plan(Options& options, measure::Plan& plan) {
    options.texts("-e, --event", "EVENTS", plan.events,
                  "count these, comma-separated; may be repeated [what can count there]");
    options.texts("--sample", "EVENTS", plan.sampled, "sample functions by these [cpu-clock]");
    options.number("-r, --repeat", "N", plan.runs, "run the command N times [5]");
    options.number("-F, --freq", "HZ", plan.frequency_hz, "samples a second and CPU [499]");
    options.number("--timeout", "S", plan.timeout_s, "kill a run that takes longer [600]");
    options.number("--output-limit", "MB", plan.output_limit_mb, "kill one that prints more [256]");
    options.flag("--soft", plan.soft,
                 "after the first run once more under QEMU, to count instructions, branches, loads "
                 "and stores in software");
    options.texts("--soft-event", "EVENTS", plan.soft_events,
                  "count these of `ringside stat --soft` so");
    options.text("--soft-sample", "EVENT", plan.soft_sample,
                 "also sample functions by one of them there, as dTLB-store-misses-model");
    options.number("--soft-period", "N", plan.soft_period,
                   "take every N-th of these [many for frequent events]");
    options.flag("--no-trace", plan.no_trace,
                 "do without BPF: less is known of where the time went, setting up is quicker");
    options.text("--co-run", "CMD2", plan.co_run,
                 "run this beside it, again and again; its words between blanks");
}

void declare_sharing(Options& options, places::GuestOptions& guest) {
    options.texts("--share", "PATH", guest.shared,
                  "let the embedded guest see PATH and all below it, secrets included; / is all");
    options.texts("--share-env", "NAME", guest.shared_variables,
                  "let it have this variable of our environment; a pattern, * is all");
}

}  // namespace ringside::cli
