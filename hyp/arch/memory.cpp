// The functions that the compiler and std::string_view call.
#include <cstddef>

extern "C" {

void* memset(void* to, int value, std::size_t bytes) {
    auto* out = static_cast<volatile unsigned char*>(to);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(value);
    return to;
}

void* memcpy(void* to, const void* from, std::size_t bytes) {
    auto* out = static_cast<volatile unsigned char*>(to);
    const auto* in = static_cast<const unsigned char*>(from);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = in[i];
    return to;
}

void* memmove(void* to, const void* from, std::size_t bytes) {
    auto* out = static_cast<volatile unsigned char*>(to);
    const auto* in = static_cast<const unsigned char*>(from);
    if (out < in) return memcpy(to, from, bytes);
    while (bytes-- > 0) out[bytes] = in[bytes];
    return to;
}

int memcmp(const void* left, const void* right, std::size_t bytes) {
    const auto* a = static_cast<const volatile unsigned char*>(left);
    const auto* b = static_cast<const volatile unsigned char*>(right);
    for (std::size_t i = 0; i < bytes; ++i) {
        if (a[i] != b[i]) return a[i] - b[i];
    }
    return 0;
}

std::size_t strlen(const char* text) {
    const volatile char* end = text;
    while (*end != 0) ++end;
    return static_cast<std::size_t>(end - text);
}

void* memchr(const void* where, int wanted, std::size_t bytes) {
    const auto* in = static_cast<const volatile unsigned char*>(where);
    for (std::size_t i = 0; i < bytes; ++i) {
        if (in[i] == static_cast<unsigned char>(wanted)) return const_cast<unsigned char*>(in + i);
    }
    return nullptr;
}

}  // extern "C"
