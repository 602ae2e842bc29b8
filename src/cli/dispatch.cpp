#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/version.h"

namespace ringside::cli {

namespace {

std::string overview(const Verbs& verbs, const std::string& group) {
    std::string text = group.empty() ? "ringside: performance profiling for virtual machines\n\n"
                                       "usage: ringside VERB [options]\n\n"
                                     : fmt::format("usage: ringside {} VERB [options]\n\n", group);
    for (const auto& verb : verbs) {
        if (!group.empty() && !verb->name().starts_with(group + " ")) continue;
        text += fmt::format("  {:<16} {}\n", verb->name(), verb->summary());
    }
    text +=
        "\n`ringside VERB --help` has options and examples. Exit codes: a command's own is "
        "passed on;\n125 is a failure of ringside, 126 and 127 a command that cannot be run.\n";
    return text;
}

std::string help(const Verb& verb, const Options& options) {
    std::string text = fmt::format("{}\n\nusage: ringside {}{}\n\n{}", verb.summary(), verb.name(),
                                   options.usage(), options.table());
    if (!verb.examples().empty()) text += "\nexamples:\n" + verb.examples();
    return text;
}

void print(const std::string& text) {
    print_text(stdout, text);
}

// The verb whose words, at most three, begin `arguments`, and how many words that took.
std::pair<Verb*, std::size_t> find_verb(const Verbs& verbs,
                                        const std::vector<std::string>& arguments) {
    constexpr std::size_t most_words = 3;
    for (std::size_t words = std::min(most_words, arguments.size()); words > 0; --words) {
        std::string name = arguments[0];
        for (std::size_t i = 1; i < words; ++i) name += " " + arguments[i];
        for (const auto& verb : verbs) {
            if (verb->name() == name) return {verb.get(), words};
        }
    }
    return {nullptr, 0};
}

bool is_group(const Verbs& verbs, const std::string& word) {
    return std::any_of(verbs.begin(), verbs.end(),
                       [&](const auto& verb) { return verb->name().starts_with(word + " "); });
}

Outcome without_verb(const Verbs& verbs, const std::vector<std::string>& arguments) {
    const std::string first = arguments.empty() ? "" : arguments[0];
    const auto wants_help = [](const std::string& word) {
        return word == "-h" || word == "--help";
    };
    if (first == "--version") {
        print(fmt::format("ringside {}\n", version));
        return 0;
    }
    if (first == "help" || wants_help(first)) {
        print(overview(verbs, ""));
        return 0;
    }
    if (is_group(verbs, first)) {
        if (arguments.size() > 1 && wants_help(arguments[1])) {
            print(overview(verbs, first));
            return 0;
        }
        return base::fail(ErrorCode::bad_input, "`ringside " + first + "` needs a subcommand",
                          "ringside " + first + " --help lists them");
    }
    const std::string what = first.empty() ? "no verb given" : "unknown verb: " + first;
    return base::fail(ErrorCode::bad_input, what, "ringside --help lists the verbs");
}

}  // namespace

Outcome dispatch(const Verbs& verbs, const std::vector<std::string>& arguments) {
    const auto [verb, words] = find_verb(verbs, arguments);
    if (verb == nullptr) return without_verb(verbs, arguments);
    Options options;
    verb->declare(options);
    const std::vector<std::string> rest(arguments.begin() + static_cast<std::ptrdiff_t>(words),
                                        arguments.end());
    bool help_wanted = false;
    const auto parsed = options.parse(rest, help_wanted);
    if (!parsed) {
        Error error = parsed.error();
        error.hint = "ringside " + verb->name() + " --help shows what is accepted";
        return error;
    }
    if (help_wanted) {
        print(help(*verb, options));
        return 0;
    }
    return verb->run();
}

}  // namespace ringside::cli
