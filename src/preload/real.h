// The functions that the interposer stands in front of. INTERPOSE defines one under the name of
// libc's, and REAL(name) is libc's own, or that of the next library which interposes.
#pragma once

namespace ringside::preload {

struct Real {
    const char* name;
    void* address;

    void* get() { return __builtin_expect(address != nullptr, 1) ? address : resolve(*this); }
    static void* resolve(Real& real);
};

// All at once, when the library is loaded: dlsym() is not for signal handlers. A call that comes
// before, from another library's constructor, resolves its own.
void resolve_all();

}  // namespace ringside::preload

// The assembler's name keeps libc's declarations, which differ in noexcept and attributes, apart.
#define INTERPOSE_AS(Result, name, symbol, parameters)                                            \
    extern "C" __attribute__((visibility("default"), used))                                       \
    Result io_##name parameters asm(symbol);                                                      \
    [[gnu::section("ringside_io_real"), gnu::used]] static ::ringside::preload::Real real_##name{ \
        symbol, nullptr};                                                                         \
    Result io_##name parameters

#define INTERPOSE(Result, name, parameters) INTERPOSE_AS(Result, name, #name, parameters)

#define REAL(name) reinterpret_cast<decltype(&io_##name)>(real_##name.get())
