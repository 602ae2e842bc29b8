// A JSON value that is put together and written, never read. The JSON library behind it costs eight
// seconds of compiling in every file that includes it, so that this header does not.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ringside::base {

class Json {
  public:
    using Member = std::pair<std::string, Json>;
    using Array = std::vector<Json>;
    using Object = std::vector<Member>;  // in the order of their insertion
    using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double,
                               std::string, Array, Object>;

    // Implicit, so that members of structs can be listed as they are: {{"calls", op.calls}, ...}.
    Json() = default;  // null
    Json(std::nullptr_t) {}
    Json(std::string text) : value_(std::move(text)) {}
    Json(std::string_view text) : value_(std::string(text)) {}
    Json(const char* text) : value_(std::string(text)) {}
    template <std::floating_point Number>
    Json(Number number) : value_(static_cast<double>(number)) {}
    template <std::integral Number>
    Json(Number number) : value_(widened(number)) {}
    // Null where there is none.
    template <typename T>
    Json(const std::optional<T>& value) {
        if (value) *this = Json(*value);
    }
    template <typename T>
    Json(const std::vector<T>& values) : value_(Array(values.begin(), values.end())) {}
    Json(std::initializer_list<Member> members);

    static Json array() { return of(Array()); }
    static Json object() { return of(Object()); }
    // What is not known is null, and not an empty text.
    static Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

    // The member of that name, null if it is new. Null becomes an object.
    Json& operator[](std::string_view key);
    // Null becomes an array.
    void push_back(Json element);
    // Adds the members of another object, or replaces those of the same name.
    void update(const Json& object);

    bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
    const Value& value() const { return value_; }

    // With a newline at its end; UTF-8, whatever bytes a name has. `indent` -1: on one line.
    std::string text(int indent = 2) const;

  private:
    static Json of(Value value) {
        Json json;
        json.value_ = std::move(value);
        return json;
    }
    template <std::integral Number>
    static Value widened(Number number) {
        if constexpr (std::is_same_v<Number, bool>) {
            return number;
        } else if constexpr (std::is_signed_v<Number>) {
            return static_cast<std::int64_t>(number);
        } else {
            return static_cast<std::uint64_t>(number);
        }
    }

    Value value_ = nullptr;
};

}  // namespace ringside::base
