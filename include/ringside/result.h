// How the outside world's failures are reported: a Result carries a value or an Error that a
// person can act on. Member names follow std::expected, which neither GCC 12 in C++20 mode nor
// clang 14 has. No exception crosses this interface.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace ringside {

enum class ErrorCode {
    not_found,      // the thing named does not exist here
    not_permitted,  // it exists, and the kernel refuses it to this user
    unsupported,    // this machine, kernel or build cannot do it
    bad_input,      // what was given cannot be understood
    busy,           // somebody else holds it
    timed_out,      // it did not happen in time
    interrupted,    // a person or a signal asked to stop
    io,             // reading or writing failed
};

// `what` says what failed and on what; `hint` says what to do next and may be empty.
struct Error {
    ErrorCode code = ErrorCode::io;
    int sys_errno = 0;
    std::string what;
    std::string hint;
};

template <typename T>
class [[nodiscard]] Result {
  public:
    using value_type = T;

    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    // Reading the side that is not there is a bug in the caller and ends the program.
    T& value() & { return checked(); }
    const T& value() const& { return const_cast<Result*>(this)->checked(); }
    T&& value() && { return std::move(checked()); }
    T& operator*() & { return checked(); }
    const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
    T&& operator*() && { return std::move(checked()); }
    T* operator->() { return &checked(); }
    const T* operator->() const { return &const_cast<Result*>(this)->checked(); }

    const Error& error() const& { return checked_error(); }
    Error&& error() && { return std::move(const_cast<Error&>(checked_error())); }

    T value_or(T fallback) const& {
        return has_value() ? std::get<0>(state_) : std::move(fallback);
    }

  private:
    T& checked() {
        if (!has_value()) std::abort();
        return *std::get_if<0>(&state_);
    }
    const Error& checked_error() const {
        if (has_value()) std::abort();
        return *std::get_if<1>(&state_);
    }

    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    using value_type = void;

    // Not defaulted: that would have `return {}` clear all the room an Error needs.
    Result() {}
    Result(Error error) : error_(std::move(error)) {}

    bool has_value() const { return !error_.has_value(); }
    explicit operator bool() const { return has_value(); }

    const Error& error() const& {
        if (!error_) std::abort();
        return *error_;
    }

  private:
    std::optional<Error> error_;
};

}  // namespace ringside
