// What a verb accepts on the command line: declared once, then used to parse and to write --help.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <ringside/result.h>

namespace ringside::cli {

// The targets must live as long as this object. `names` lists the spellings, "-o, --output";
// `value` is the word that stands for the value in --help.
class Options {
  public:
    void flag(const std::string& names, bool& target, std::string help);
    void text(const std::string& names, std::string value, std::string& target, std::string help);
    // May be given several times.
    void texts(const std::string& names, std::string value, std::vector<std::string>& target,
               std::string help);
    void number(const std::string& names, std::string value, double& target, std::string help);
    // Hands each value to `take`, in the order in which options are given.
    void each(const std::string& names, std::string value,
              std::function<Result<void>(const std::string&)> take, std::string help);
    // Absent, given without a value (""), or given as --name=value.
    void optional_text(const std::string& names, std::string value,
                       std::optional<std::string>& target, std::string help);
    // A word that is no option, in the order of declaration.
    void operand(std::string name, std::string& target, std::string help, bool required);
    // Any number of words that are no options. A command then begins at "--" alone.
    void operands(std::string name, std::vector<std::string>& target, std::string help);
    // The command to run: all that follows "--", or all from the first word that is no option.
    void command(std::vector<std::string>& argv);

    // Fills the targets. `help_wanted` is set by -h or --help, and then nothing is required.
    Result<void> parse(const std::vector<std::string>& arguments, bool& help_wanted) const;

    // "[options] KIND -- COMMAND..." and the table of options, for --help.
    std::string usage() const;
    std::string table() const;

  private:
    using Take = std::function<Result<void>(const std::string&)>;
    using Target = std::variant<bool*, std::string*, std::vector<std::string>*, double*,
                                std::optional<std::string>*, Take>;
    struct Option {
        std::vector<std::string> names;
        std::string value;
        Target target;
        std::string help;
    };
    struct Operand {
        std::string name;
        std::string* target;
        std::string help;
        bool required;
    };
    class Parsing;

    void add(const std::string& names, std::string value, Target target, std::string help);
    const Option* find(const std::string& name) const;

    std::vector<Option> options_;
    std::vector<Operand> operands_;
    struct OperandList {
        std::string name;
        std::vector<std::string>* target = nullptr;
        std::string help;
    };
    OperandList operand_list_;
    std::vector<std::string>* command_ = nullptr;
};

}  // namespace ringside::cli
