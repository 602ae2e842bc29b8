// Reads one TOML file into plain values. The first error ends the reading, and names line and
// column; every getter is total.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <ringside/result.h>

#include "lab/events.h"
#include "vpmu/policy.h"

namespace ringside::lab {

class TomlReader {
  public:
    explicit TomlReader(std::string file) : file_(std::move(file)) {}

    const std::optional<Error>& error() const { return error_; }
    void fail(const toml::node& at, const std::string& what);
    // The text as a table; an empty one, and an error, if it is no TOML.
    toml::table parse(std::string_view text);

    void allow_only(const toml::table& table, std::initializer_list<std::string_view> keys);
    std::string text(const toml::table& table, std::string_view key, std::string fallback);
    bool flag(const toml::table& table, std::string_view key, bool fallback = false);
    std::uint64_t number(const toml::table& table, std::string_view key, std::uint64_t fallback,
                         std::uint64_t least, std::uint64_t most);
    // The position of the text in `choices`.
    std::size_t choice(const toml::table& table, std::string_view key,
                       std::initializer_list<std::string_view> choices);
    // Calls `read` for each table of [[name]].
    void each_table(const toml::table& table, std::string_view name,
                    const std::function<void(const toml::table&)>& read);
    void each_element(const toml::table& table, std::string_view name,
                      const std::function<void(const toml::node&)>& read);

    EventName event(const toml::node& node);
    // Rates, one for each event that `table` names.
    EventNumbers numbers(const toml::table& table, std::uint64_t most);
    vpmu::Policy policy(const toml::table& table);

  private:
    void fail_at(const toml::source_region& where, const std::string& what);

    std::string file_;
    std::optional<Error> error_;
};

std::optional<vpmu::Policy> policy_named(std::string_view name);

}  // namespace ringside::lab
