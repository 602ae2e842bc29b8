// The only place that prints an error: what failed, on what, and what to do next.
#include <cstdio>
#include <exception>

#include "cli/style.h"
#include "cli/verb.h"

namespace {

void print_error(const ringside::Error& error) {
    const ringside::cli::Style style(stderr);
    std::fprintf(stderr, "%s %s\n", style.bad("ringside:").c_str(), error.what.c_str());
    if (!error.hint.empty()) std::fprintf(stderr, "  %s\n", error.hint.c_str());
}

int flushed(int exit_code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
    std::fprintf(stderr, "ringside: cannot write to standard output\n");
    return ringside::cli::exit_failure;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto outcome =
            ringside::cli::dispatch(ringside::cli::all_verbs(), {argv + 1, argv + argc});
        if (outcome.error) print_error(*outcome.error);
        return flushed(outcome.exit_code);
    } catch (const std::exception& problem) {
        // Out of memory and bugs in libraries; our own code reports through Result.
        std::fprintf(stderr, "ringside: %s\n", problem.what());
        return ringside::cli::exit_failure;
    }
}
