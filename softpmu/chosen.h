// From options, which are known when QEMU starts, to code that is made for them.
#pragma once

#include <type_traits>

namespace ringside::softpmu {

// Calls `with` with its arguments as constants, so that code is made for each of their values.
template <typename With>
auto chosen(With with) {
    return with();
}
template <typename With, typename... Rest>
auto chosen(With with, bool first, Rest... rest) {
    const auto then = [&](auto value) {
        return chosen([&](auto... others) { return with(value, others...); }, rest...);
    };
    return first ? then(std::true_type()) : then(std::false_type());
}

}  // namespace ringside::softpmu
