// `ringside annotate`: the hot instructions of a function, beside their source.
#include "profile/annotate.h"

#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/visible.h"
#include "cli/amounts.h"
#include "cli/json_text.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/verbs.h"

namespace ringside::cli {

namespace {

using Json = nlohmann::ordered_json;
using profile::Annotation;

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

std::string annotation_text(const Annotation& annotation) {
    std::string text = fmt::format("# {} in {}: {} samples\n", base::visible(annotation.symbol),
                                   base::visible(annotation.module), annotation.samples);
    Sources sources;
    std::string last;
    for (const auto& line : annotation.lines) {
        const std::string place =
            line.source_line == 0 ? ""
                                  : fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1),
                                                line.source_line);
        if (place != last && !place.empty())
            text +=
                fmt::format("          {}  {}\n", place, sources.line(line.file, line.source_line));
        last = place;
        const std::string share =
            line.period == 0 ? "" : fmt::format("{:.2f}%", percent(line.period, annotation.period));
        text += fmt::format("{:>8}  {:>10x}:  {}\n", share, line.address, line.instruction);
    }
    return text;
}

std::string annotation_json(const Annotation& annotation) {
    Json json;
    json["schema"] = "ringside.annotate/1";
    json["symbol"] = annotation.symbol;
    json["dso"] = annotation.module;
    json["samples"] = annotation.samples;
    json["instructions"] = Json::array();
    for (const auto& line : annotation.lines) {
        Json entry;
        entry["address"] = line.address;
        entry["instruction"] = line.instruction;
        entry["file"] = line.file.empty() ? Json(nullptr) : Json(line.file);
        entry["line"] = line.source_line == 0 ? Json(nullptr) : Json(line.source_line);
        entry["samples"] = line.samples;
        entry["pct"] = percent(line.period, annotation.period);
        json["instructions"].push_back(std::move(entry));
    }
    return json_text(json);
}

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
        const std::string text =
            output_.json ? annotation_json(*annotation) : annotation_text(*annotation);
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
