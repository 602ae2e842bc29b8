#include "lab/toml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace ringside::lab {

void TomlReader::fail_at(const toml::source_region& where, const std::string& what) {
    if (error_) return;
    error_ = base::fail(ErrorCode::bad_input, fmt::format("{}:{}:{}: {}", file_, where.begin.line,
                                                          where.begin.column, what));
}

void TomlReader::fail(const toml::node& at, const std::string& what) {
    fail_at(at.source(), what);
}

namespace {

struct Refusal {
    toml::source_position where;
    const char* why = nullptr;
};

// toml++ 3.3 has undefined behaviour for letters beyond ASCII where it expects a blank; and a key
// of a.million.parts is a table in a table in a table, which it destroys by recursion.
Refusal first_refusal(std::string_view text) {
    constexpr int most_dots = 100;  // in a line
    toml::source_position at{1, 1};
    int dots = 0;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) >= 0x80) {
            return {at, "only ASCII is allowed in a scenario"};
        }
        if (c == '.' && ++dots > most_dots) return {at, "too many dots in a line"};
        if (c == '\n') dots = 0;
        at = c == '\n' ? toml::source_position{at.line + 1, 1}
                       : toml::source_position{at.line, at.column + 1};
    }
    return {};
}

}  // namespace

toml::table TomlReader::parse(std::string_view text) {
    if (const auto refusal = first_refusal(text); refusal.why != nullptr) {
        fail_at({refusal.where, refusal.where, nullptr}, refusal.why);
        return {};
    }
    try {
        return toml::parse(text, file_);
    } catch (const toml::parse_error& problem) {
        fail_at(problem.source(), std::string(problem.description()));
        return {};
    }
}

void TomlReader::allow_only(const toml::table& table,
                            std::initializer_list<std::string_view> keys) {
    for (const auto& [key, value] : table) {
        bool known = false;
        for (const auto allowed : keys) known = known || key.str() == allowed;
        if (!known) fail_at(key.source(), fmt::format("unknown key: {}", key.str()));
    }
}

std::string TomlReader::text(const toml::table& table, std::string_view key, std::string fallback) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return fallback;
    if (!node->is_string()) fail(*node, fmt::format("{} must be a string", key));
    return node->value_or(fallback);
}

bool TomlReader::flag(const toml::table& table, std::string_view key, bool fallback) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return fallback;
    if (!node->is_boolean()) fail(*node, fmt::format("{} must be true or false", key));
    return node->value_or(fallback);
}

std::uint64_t TomlReader::number(const toml::table& table, std::string_view key,
                                 std::uint64_t fallback, std::uint64_t least, std::uint64_t most) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return fallback;
    const auto value = node->value<std::int64_t>();
    const bool good = node->is_integer() && value && *value >= 0 &&
                      std::uint64_t(*value) >= least && std::uint64_t(*value) <= most;
    if (!good) fail(*node, fmt::format("{} must be a number from {} to {}", key, least, most));
    return good ? std::uint64_t(*value) : fallback;
}

std::size_t TomlReader::choice(const toml::table& table, std::string_view key,
                               std::initializer_list<std::string_view> choices) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return 0;
    const auto wanted = node->value<std::string_view>().value_or("");
    std::size_t position = 0;
    for (const auto one : choices) {
        if (one == wanted) return position;
        ++position;
    }
    fail(*node, fmt::format("{} is one of {}, not {}", key, fmt::join(choices, ", "), wanted));
    return 0;
}

void TomlReader::each_element(const toml::table& table, std::string_view name,
                              const std::function<void(const toml::node&)>& read) {
    const toml::node* node = table.get(name);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) return fail(*node, fmt::format("{} must be a list", name));
    for (const toml::node& element : *array) read(element);
}

void TomlReader::each_table(const toml::table& table, std::string_view name,
                            const std::function<void(const toml::table&)>& read) {
    const toml::node* node = table.get(name);
    if (node != nullptr && !node->is_array()) {
        return fail(*node, fmt::format("write it as [[{}]]", name));
    }
    constexpr std::size_t most_tables = 1000;
    if (node != nullptr && node->as_array()->size() > most_tables) {
        return fail(*node, fmt::format("more than {} [[{}]]", most_tables, name));
    }
    each_element(table, name, [&](const toml::node& element) {
        if (const toml::table* one = element.as_table()) return read(*one);
        fail(element, fmt::format("write it as [[{}]]", name));
    });
}

EventName TomlReader::event(const toml::node& node) {
    const auto wanted = node.value<std::string_view>().value_or("");
    if (const auto found = event_named(wanted)) return *found;
    std::string known;
    for (unsigned i = 0; i < event_names; ++i) {
        known += fmt::format("{}{}", i == 0 ? "" : ", ", to_string(static_cast<EventName>(i)));
    }
    fail(node, fmt::format("unknown event: {} (known: {})", wanted, known));
    return EventName::cycles;
}

EventNumbers TomlReader::numbers(const toml::table& table, std::uint64_t most) {
    EventNumbers numbers{};
    for (unsigned i = 0; i < event_names; ++i) {
        numbers[i] = number(table, to_string(static_cast<EventName>(i)), 0, 0, most);
    }
    for (const auto& [key, value] : table) {
        if (!event_named(key.str())) {
            fail_at(key.source(), fmt::format("unknown event: {}", key.str()));
        }
    }
    return numbers;
}

std::optional<vpmu::Policy> policy_named(std::string_view name) {
    vpmu::Policy policy{};
    return vpmu::find_policy(name, policy) ? std::optional(policy) : std::nullopt;
}

vpmu::Policy TomlReader::policy(const toml::table& table) {
    const toml::node* node = table.get("policy");
    if (node == nullptr) return vpmu::Policy::mediated;
    const auto wanted = node->value<std::string_view>().value_or("");
    if (const auto found = policy_named(wanted)) return *found;
    fail(*node, fmt::format("unknown policy: {}", wanted));
    return vpmu::Policy::mediated;
}

}  // namespace ringside::lab
