// The only place that prints an error: what failed, on what, and what to do next.
#include <cstdio>
#include <exception>
#include <string>

#include "cli/terminal.h"
#include "cli/verb.h"
#include "report/style.h"
#include "symbols/mapped_file.h"

namespace {

void print_error(const ringside::Error& error) {
    const ringside::report::Style style(stderr);
    ringside::cli::print_text(stderr, style.bad("ringside:") + " " + error.what + "\n");
    if (!error.hint.empty()) ringside::cli::print_text(stderr, "  " + error.hint + "\n");
}

int flushed(int exit_code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
    std::fprintf(stderr, "ringside: cannot write to standard output\n");
    return ringside::cli::exit_failure;
}

}  // namespace

int main(int argc, char** argv) {
    ringside::symbols::MappedFile::survive_truncation();
    try {
        const auto outcome =
            ringside::cli::dispatch(ringside::cli::all_verbs(), {argv + 1, argv + argc});
        if (outcome.error) print_error(*outcome.error);
        return flushed(outcome.exit_code);
    } catch (const std::exception& problem) {
        // Out of memory and bugs in libraries; our own code reports through Result.
        ringside::cli::print_text(stderr, std::string("ringside: ") + problem.what() + "\n");
        return ringside::cli::exit_failure;
    }
}
