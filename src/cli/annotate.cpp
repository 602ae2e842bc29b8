// `ringside annotate`: the hot instructions of a function, beside their source.
#include "profile/annotate.h"

#include <fstream>
#include <map>

#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/verbs.h"
#include "report/profile/annotation_report.h"

namespace ringside::cli {

namespace {

// Lines of source files, read once; a file that is not here has none.
class Sources {
  public:
    std::string line(const std::string& file, std::uint32_t number) {
        auto [slot, added] = files_.try_emplace(file);
        if (added) {
            std::ifstream input(file);
            for (std::string text; std::getline(input, text);) slot->second.push_back(text);
        }
        return number >= 1 && number <= slot->second.size() ? slot->second[number - 1] : "";
    }

  private:
    std::map<std::string, std::vector<std::string>> files_;
};

class Annotate final : public Verb {
  public:
    std::string name() const override { return "annotate"; }
    std::string summary() const override { return "show the hot instructions of a function"; }
    std::string examples() const override {
        return "  ringside annotate compress                   of the last recording here\n"
               "  ringside annotate memcpy --in libc.so.6      of this module alone\n";
    }
    void declare(Options& options) override {
        declare_output(options, output_, false);
        options.operand("SYMBOL", request_.symbol, "a function, as `ringside report` names it",
                        true);
        options.text("--in", "DSO", request_.module,
                     "the module it is in [the one with most samples]");
        input_.declare(options);
        input_.declare_filters(options);
    }

    Outcome run() override {
        auto options = input_.load_options();
        if (!options) return options.error();
        options->keep.comm = false;
        const auto loaded = profile::load(input_.file, *options);
        if (!loaded) return loaded.error();
        input_.print_warnings("ringside annotate", *loaded);
        auto sources = input_.sources();
        sources.inlined = false;
        const auto naming = profile::symbolize(*loaded, sources);
        const auto annotation = profile::annotate(*loaded, naming, sources.host, request_);
        if (!annotation) return annotation.error();
        Sources files;
        const auto source_line = [&](const std::string& file, std::uint32_t number) {
            return files.line(file, number);
        };
        const std::string text = output_.json ? report::annotation_json(*annotation)
                                              : report::annotation_text(*annotation, source_line);
        if (auto done = deliver(output_, text); !done) return done.error();
        return 0;
    }

  private:
    OutputChoice output_;
    ProfileInput input_;
    profile::AnnotationRequest request_;
};

}  // namespace

std::unique_ptr<Verb> make_annotate() {
    return std::make_unique<Annotate>();
}

}  // namespace ringside::cli
