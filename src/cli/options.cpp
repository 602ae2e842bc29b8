#include "cli/options.h"

#include <charconv>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::cli {

namespace {

Error usage_error(std::string what) {
    return base::fail(ErrorCode::bad_input, std::move(what), "--help shows what is accepted");
}

Result<double> parse_number(const std::string& name, const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
        return usage_error(name + " requires a number, not " + text);
    }
    return value;
}

}  // namespace

// One pass over the arguments of a verb.
class Options::Parsing {
  public:
    Parsing(const Options& options, const std::vector<std::string>& arguments)
        : options_(options), arguments_(arguments) {}

    Result<void> run(bool& help_wanted) {
        while (at_ < arguments_.size()) {
            const std::string& word = arguments_[at_];
            if (word == "-h" || word == "--help") {
                help_wanted = true;
                return {};
            }
            if (word == "--") {
                ++at_;
                return take_rest();
            }
            const bool is_option = word.size() > 1 && word.front() == '-';
            if (!is_option && operands_taken_ == options_.operands_.size() && options_.command_ &&
                options_.operand_list_.target == nullptr) {
                return take_rest();
            }
            auto done = is_option ? take_option(word) : take_operand(word);
            if (!done) return done;
        }
        return require_operands();
    }

  private:
    Result<void> take_rest() {
        if (options_.command_ == nullptr) {
            while (at_ < arguments_.size()) {
                if (auto done = take_operand(arguments_[at_]); !done) return done;
            }
        } else {
            options_.command_->assign(arguments_.begin() + static_cast<std::ptrdiff_t>(at_),
                                      arguments_.end());
        }
        return require_operands();
    }

    Result<void> require_operands() const {
        for (std::size_t i = operands_taken_; i < options_.operands_.size(); ++i) {
            if (options_.operands_[i].required) {
                return usage_error(options_.operands_[i].name + " is missing");
            }
        }
        return {};
    }

    Result<void> take_operand(const std::string& word) {
        ++at_;
        if (operands_taken_ < options_.operands_.size()) {
            *options_.operands_[operands_taken_++].target = word;
        } else if (options_.operand_list_.target != nullptr) {
            options_.operand_list_.target->push_back(word);
        } else {
            return usage_error("unexpected argument: " + word);
        }
        return {};
    }

    Result<void> take_option(const std::string& word) {
        const auto equals = word.starts_with("--") ? word.find('=') : std::string::npos;
        const std::string name = word.substr(0, equals);
        const Option* option = options_.find(name);
        if (option == nullptr) return usage_error("unknown option: " + name);
        ++at_;
        std::optional<std::string> value;
        if (equals != std::string::npos) value = word.substr(equals + 1);
        return assign(*option, name, std::move(value));
    }

    Result<void> assign(const Option& option, const std::string& name,
                        std::optional<std::string> value) {
        if (auto* const* flag = std::get_if<bool*>(&option.target)) {
            if (value) return usage_error(name + " takes no value");
            **flag = true;
            return {};
        }
        if (auto* const* maybe = std::get_if<std::optional<std::string>*>(&option.target)) {
            **maybe = value.value_or("");
            return {};
        }
        if (!value) {
            if (at_ == arguments_.size()) return usage_error(name + " requires " + option.value);
            value = arguments_[at_++];
        }
        if (auto* const* number = std::get_if<double*>(&option.target)) {
            const auto parsed = parse_number(name, *value);
            if (!parsed) return parsed.error();
            **number = *parsed;
        } else if (auto* const* list = std::get_if<std::vector<std::string>*>(&option.target)) {
            (*list)->push_back(std::move(*value));
        } else if (const auto* take = std::get_if<Take>(&option.target)) {
            return (*take)(*value);
        } else {
            *std::get<std::string*>(option.target) = std::move(*value);
        }
        return {};
    }

    const Options& options_;
    const std::vector<std::string>& arguments_;
    std::size_t at_ = 0;
    std::size_t operands_taken_ = 0;
};

void Options::add(const std::string& names, std::string value, Target target, std::string help) {
    Option option{{}, std::move(value), std::move(target), std::move(help)};
    for (const auto name : base::split(names, ',')) option.names.emplace_back(base::trim(name));
    options_.push_back(std::move(option));
}

void Options::flag(const std::string& names, bool& target, std::string help) {
    add(names, "", &target, std::move(help));
}

void Options::text(const std::string& names, std::string value, std::string& target,
                   std::string help) {
    add(names, std::move(value), &target, std::move(help));
}

void Options::texts(const std::string& names, std::string value, std::vector<std::string>& target,
                    std::string help) {
    add(names, std::move(value), &target, std::move(help));
}

void Options::number(const std::string& names, std::string value, double& target,
                     std::string help) {
    add(names, std::move(value), &target, std::move(help));
}

void Options::each(const std::string& names, std::string value, Take take, std::string help) {
    add(names, std::move(value), std::move(take), std::move(help));
}

void Options::optional_text(const std::string& names, std::string value,
                            std::optional<std::string>& target, std::string help) {
    add(names, std::move(value), &target, std::move(help));
}

void Options::operand(std::string name, std::string& target, std::string help, bool required) {
    operands_.push_back({std::move(name), &target, std::move(help), required});
}

void Options::operands(std::string name, std::vector<std::string>& target, std::string help) {
    operand_list_ = {std::move(name), &target, std::move(help)};
}

void Options::command(std::vector<std::string>& argv) {
    command_ = &argv;
}

const Options::Option* Options::find(const std::string& name) const {
    for (const auto& option : options_) {
        for (const auto& spelling : option.names) {
            if (spelling == name) return &option;
        }
    }
    return nullptr;
}

Result<void> Options::parse(const std::vector<std::string>& arguments, bool& help_wanted) const {
    return Parsing(*this, arguments).run(help_wanted);
}

std::string Options::usage() const {
    std::string line = options_.empty() ? "" : " [options]";
    for (const auto& operand : operands_) {
        line += operand.required ? " " + operand.name : " [" + operand.name + "]";
    }
    const bool listed = operand_list_.target != nullptr;
    if (listed) line += " [" + operand_list_.name + "...]";
    if (command_ != nullptr) line += listed ? " [-- COMMAND [ARG...]]" : " -- COMMAND [ARG...]";
    return line;
}

std::string Options::table() const {
    std::string text;
    const auto row = [&](const std::string& left, const std::string& help) {
        text += fmt::format("  {:<28} {}\n", left, help);
    };
    for (const auto& operand : operands_) row(operand.name, operand.help);
    if (operand_list_.target != nullptr) row(operand_list_.name + "...", operand_list_.help);
    for (const auto& option : options_) {
        std::string left = fmt::format("{}", fmt::join(option.names, ", "));
        const bool optional = std::holds_alternative<std::optional<std::string>*>(option.target);
        if (optional) {
            left += "[=" + option.value + "]";
        } else if (!option.value.empty()) {
            left += " " + option.value;
        }
        row(left, option.help);
    }
    row("-h, --help", "this text");
    return text;
}

}  // namespace ringside::cli
