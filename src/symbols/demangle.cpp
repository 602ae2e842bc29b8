#include "symbols/demangle.h"

#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace ringside::symbols {

namespace {

// Where the parameter list begins: the bracket that the last ")" closes.
std::size_t parameters_begin(std::string_view name) {
    int depth = 0;
    for (std::size_t i = name.rfind(')') + 1; i-- > 0;) {
        if (name[i] == ')') ++depth;
        if (name[i] == '(' && --depth == 0) return i;
    }
    return std::string_view::npos;
}

// Templates come with their return type: the name begins behind the last blank that is in no
// brackets and does not belong to an operator.
std::size_t name_begin(std::string_view name) {
    int depth = 0;
    for (std::size_t i = name.size(); i-- > 0;) {
        const char letter = name[i];
        const bool arrow = letter == '>' && i > 0 && (name[i - 1] == '-' || name[i - 1] == '=');
        if ((letter == '>' && !arrow) || letter == ')' || letter == '}' || letter == ']') ++depth;
        if (letter == '<' || letter == '(' || letter == '{' || letter == '[') --depth;
        if (letter == ' ' && depth == 0) return i + 1;
    }
    return 0;
}

}  // namespace

std::string demangle(std::string_view name) {
    // Clones of a function ("_Z1fv.isra.0") go by its name, as with perf.
    const std::string plain(name.substr(0, name.find('.')));
    if (!plain.starts_with("_Z") && !plain.starts_with("__Z")) return std::string(name);
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> whole(
        abi::__cxa_demangle(plain.c_str(), nullptr, nullptr, &status), &std::free);
    if (!whole || status != 0) return std::string(name);
    std::string_view text(whole.get());
    const bool is_operator = text.find("operator") != std::string_view::npos;
    if (const auto parameters = parameters_begin(text); parameters != std::string_view::npos) {
        // "operator()" is a name of its own: keep its brackets.
        if (parameters > 0) text = text.substr(0, parameters);
    }
    if (!is_operator) text = text.substr(name_begin(text));
    return std::string(text);
}

}  // namespace ringside::symbols
