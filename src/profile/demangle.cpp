#include "profile/demangle.h"

#include <csetjmp>
#include <optional>

// What __cxa_demangle calls, but with the text handed on piece by piece instead of collected
// without a bound. It is in the static part of GCC's library only, without a header.
extern "C" int __gcclibcxx_demangle_callback(const char* name,
                                             void (*take)(const char*, std::size_t, void*),
                                             void* context);

namespace ringside::profile {

namespace {

// Nobody reads more; the names of the deepest templates of Boost have a tenth of it.
constexpr std::size_t most_bytes = std::size_t{16} << 10;

struct Output {
    std::jmp_buf enough;
    std::string text;
};

void take(const char* piece, std::size_t size, void* context) {
    auto& output = *static_cast<Output*>(context);
    // There is no other way out. What is left by it has no destructors: the demangler keeps all it
    // needs on the stack.
    // NOLINTNEXTLINE(cert-err52-cpp)
    if (size > most_bytes - output.text.size()) std::longjmp(output.enough, 1);
    output.text.append(piece, size);
}

// No object of its own, so that none is skipped.
bool run(const char* name, Output& output) {
    // NOLINTNEXTLINE(cert-err52-cpp)
    if (setjmp(output.enough) != 0) return false;
    return __gcclibcxx_demangle_callback(name, take, &output) == 0;
}

// nullopt if it is no mangled name, or its text is longer than `most_bytes`: a name can refer to
// its own parts, so that 300 bytes of it are more text than there is memory.
std::optional<std::string> demangle_bounded(const std::string& name) {
    Output output;
    if (!run(name.c_str(), output)) return std::nullopt;
    return std::move(output.text);
}

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
    const auto whole = demangle_bounded(plain);
    if (!whole) return std::string(name);
    std::string_view text(*whole);
    const bool is_operator = text.find("operator") != std::string_view::npos;
    if (const auto parameters = parameters_begin(text); parameters != std::string_view::npos) {
        // "operator()" is a name of its own: keep its brackets.
        if (parameters > 0) text = text.substr(0, parameters);
    }
    if (!is_operator) text = text.substr(name_begin(text));
    return std::string(text);
}

}  // namespace ringside::profile
