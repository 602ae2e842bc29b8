// stdio's output.
#include <cstdarg>
#include <cstring>

#include "preload/real.h"
#include "preload/streams.h"

namespace ringside::preload {

namespace {

template <typename Call>
std::size_t writing_items(FILE* stream, std::size_t size, std::size_t count, Call call) {
    return writing(stream, size * count, call, [&](std::size_t items) { return items * size; });
}

template <typename Call>
int writing_text(FILE* stream, std::size_t size, Call call) {
    return writing(stream, size, call,
                   [&](int result) { return result < 0 ? std::size_t{0} : size; });
}

template <typename Call>
int writing_one(FILE* stream, Call call) {
    return writing_text(stream, 1, call);
}

template <typename Call>
int printing_to(int fd, Call call) {
    if (excluded()) return call();
    const io_word before = now();
    const int result = call();
    const io_word ticks = since(before);
    const io_word bytes = result > 0 ? static_cast<io_word>(result) : 0;
    note({.op = IO_WRITE,
          .fd = fd,
          .bytes = bytes,
          .asked_bytes = bytes,
          .ended = result < 0 ? Ended::error : Ended::fully,
          .timed = true,
          .ticks = ticks});
    return result;
}

}  // namespace

INTERPOSE(std::size_t, fwrite,
          (const void* from, std::size_t size, std::size_t count, FILE* stream)) {
    return writing_items(stream, size, count,
                         [&] { return REAL(fwrite)(from, size, count, stream); });
}
INTERPOSE(std::size_t, fwrite_unlocked,
          (const void* from, std::size_t size, std::size_t count, FILE* stream)) {
    return writing_items(stream, size, count,
                         [&] { return REAL(fwrite_unlocked)(from, size, count, stream); });
}

INTERPOSE(int, fputc, (int character, FILE* stream)) {
    return writing_one(stream, [&] { return REAL(fputc)(character, stream); });
}
INTERPOSE(int, putc, (int character, FILE* stream)) {
    return writing_one(stream, [&] { return REAL(putc)(character, stream); });
}
INTERPOSE_AS(int, io_putc, "_IO_putc", (int character, FILE* stream)) {
    return writing_one(stream, [&] { return REAL(io_putc)(character, stream); });
}
INTERPOSE(int, fputc_unlocked, (int character, FILE* stream)) {
    return writing_one(stream, [&] { return REAL(fputc_unlocked)(character, stream); });
}
INTERPOSE(int, putc_unlocked, (int character, FILE* stream)) {
    return writing_one(stream, [&] { return REAL(putc_unlocked)(character, stream); });
}
INTERPOSE(int, putchar, (int character)) {
    return writing_one(stdout, [&] { return REAL(putchar)(character); });
}
INTERPOSE(int, putchar_unlocked, (int character)) {
    return writing_one(stdout, [&] { return REAL(putchar_unlocked)(character); });
}
// What putc_unlocked() calls, where it was compiled in, when the buffer is full.
INTERPOSE_AS(int, overflow, "__overflow", (FILE * stream, int character)) {
    return writing_one(stream, [&] { return REAL(overflow)(stream, character); });
}

INTERPOSE(int, fputs, (const char* text, FILE* stream)) {
    return writing_text(stream, std::strlen(text), [&] { return REAL(fputs)(text, stream); });
}
INTERPOSE(int, fputs_unlocked, (const char* text, FILE* stream)) {
    return writing_text(stream, std::strlen(text),
                        [&] { return REAL(fputs_unlocked)(text, stream); });
}
INTERPOSE(int, puts, (const char* text)) {
    return writing_text(stdout, std::strlen(text) + 1, [&] { return REAL(puts)(text); });
}

// What is variadic goes on to its va_list form.
INTERPOSE(int, vfprintf, (FILE * stream, const char* format, va_list values)) {
    return printing(stream, [&] { return REAL(vfprintf)(stream, format, values); });
}
INTERPOSE(int, vprintf, (const char* format, va_list values)) {
    return io_vfprintf(stdout, format, values);
}
INTERPOSE(int, fprintf, (FILE * stream, const char* format, ...)) {
    va_list values;
    va_start(values, format);
    const int result = io_vfprintf(stream, format, values);
    va_end(values);
    return result;
}
INTERPOSE(int, printf, (const char* format, ...)) {
    va_list values;
    va_start(values, format);
    const int result = io_vfprintf(stdout, format, values);
    va_end(values);
    return result;
}
INTERPOSE_AS(int, vfprintf_chk, "__vfprintf_chk",
             (FILE * stream, int flag, const char* format, va_list values)) {
    return printing(stream, [&] { return REAL(vfprintf_chk)(stream, flag, format, values); });
}
INTERPOSE_AS(int, vprintf_chk, "__vprintf_chk", (int flag, const char* format, va_list values)) {
    return io_vfprintf_chk(stdout, flag, format, values);
}
INTERPOSE_AS(int, fprintf_chk, "__fprintf_chk",
             (FILE * stream, int flag, const char* format, ...)) {
    va_list values;
    va_start(values, format);
    const int result = io_vfprintf_chk(stream, flag, format, values);
    va_end(values);
    return result;
}
INTERPOSE_AS(int, printf_chk, "__printf_chk", (int flag, const char* format, ...)) {
    va_list values;
    va_start(values, format);
    const int result = io_vfprintf_chk(stdout, flag, format, values);
    va_end(values);
    return result;
}

// Straight to a descriptor.
INTERPOSE(int, vdprintf, (int fd, const char* format, va_list values)) {
    return printing_to(fd, [&] { return REAL(vdprintf)(fd, format, values); });
}
INTERPOSE(int, dprintf, (int fd, const char* format, ...)) {
    va_list values;
    va_start(values, format);
    const int result = io_vdprintf(fd, format, values);
    va_end(values);
    return result;
}
INTERPOSE_AS(int, vdprintf_chk, "__vdprintf_chk",
             (int fd, int flag, const char* format, va_list values)) {
    return printing_to(fd, [&] { return REAL(vdprintf_chk)(fd, flag, format, values); });
}
INTERPOSE_AS(int, dprintf_chk, "__dprintf_chk", (int fd, int flag, const char* format, ...)) {
    va_list values;
    va_start(values, format);
    const int result = io_vdprintf_chk(fd, flag, format, values);
    va_end(values);
    return result;
}

}  // namespace ringside::preload
