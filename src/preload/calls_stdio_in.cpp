// stdio's input.
#include <cstdarg>
#include <cstring>

#include "preload/real.h"
#include "preload/streams.h"

namespace ringside::preload {

namespace {

// The hottest path: a few bytes from the buffer.
template <typename Call>
std::size_t reading_items(FILE* stream, std::size_t size, std::size_t count, Call call) {
    if (!is_counted(stream)) return call();
    catch_up(stream);
    const std::size_t asked = size * count;
    const bool buffered = static_cast<long>(asked) <= readable(stream) || has_ended(stream);
    const io_word before = buffered ? 0 : now();
    const std::size_t items = call();
    const io_word ticks = buffered ? 0 : since(before);
    Ended how = Ended::fully;
    if (items < count) {
        how = has_failed(stream) ? Ended::error : items == 0 ? Ended::end : Ended::part;
    }
    note({.op = IO_READ,
          .fd = stream->_fileno,
          .bytes = io_word{items} * size,
          .asked_bytes = asked,
          .ended = how,
          .timed = !buffered,
          .ticks = ticks});
    remember(stream);
    return items;
}

template <typename Call>
char* reading_line(FILE* stream, Call call) {
    return reading(stream, call, [](const char* line, std::size_t consumed) {
        if (line == nullptr) return std::size_t{0};
        // A line longer than the buffer: what the program sees of it.
        const std::size_t seen = std::strlen(line);
        return seen > consumed ? seen : consumed;
    });
}

template <typename Call>
ssize_t reading_length(FILE* stream, Call call) {
    return reading(stream, call, [](ssize_t length, std::size_t) {
        return length > 0 ? static_cast<std::size_t>(length) : 0;
    });
}

template <typename Call>
int scanning(FILE* stream, Call call) {
    return reading(stream, call, [](int, std::size_t consumed) { return consumed; });
}

}  // namespace

INTERPOSE(std::size_t, fread, (void* to, std::size_t size, std::size_t count, FILE* stream)) {
    return reading_items(stream, size, count, [&] { return REAL(fread)(to, size, count, stream); });
}
INTERPOSE(std::size_t, fread_unlocked,
          (void* to, std::size_t size, std::size_t count, FILE* stream)) {
    return reading_items(stream, size, count,
                         [&] { return REAL(fread_unlocked)(to, size, count, stream); });
}
INTERPOSE_AS(std::size_t, fread_chk, "__fread_chk",
             (void* to, std::size_t room, std::size_t size, std::size_t count, FILE* stream)) {
    return reading_items(stream, size, count,
                         [&] { return REAL(fread_chk)(to, room, size, count, stream); });
}
INTERPOSE_AS(std::size_t, fread_unlocked_chk, "__fread_unlocked_chk",
             (void* to, std::size_t room, std::size_t size, std::size_t count, FILE* stream)) {
    return reading_items(stream, size, count,
                         [&] { return REAL(fread_unlocked_chk)(to, room, size, count, stream); });
}

INTERPOSE(int, fgetc, (FILE * stream)) {
    return reading_one(stream, [&] { return REAL(fgetc)(stream); });
}
INTERPOSE(int, getc, (FILE * stream)) {
    return reading_one(stream, [&] { return REAL(getc)(stream); });
}
INTERPOSE_AS(int, io_getc, "_IO_getc", (FILE * stream)) {
    return reading_one(stream, [&] { return REAL(io_getc)(stream); });
}
INTERPOSE(int, fgetc_unlocked, (FILE * stream)) {
    return reading_one(stream, [&] { return REAL(fgetc_unlocked)(stream); });
}
INTERPOSE(int, getc_unlocked, (FILE * stream)) {
    return reading_one(stream, [&] { return REAL(getc_unlocked)(stream); });
}
INTERPOSE(int, getchar, ()) {
    return reading_one(stdin, [&] { return REAL(getchar)(); });
}
INTERPOSE(int, getchar_unlocked, ()) {
    return reading_one(stdin, [&] { return REAL(getchar_unlocked)(); });
}
// What getc_unlocked() calls, where it was compiled in, when the buffer is empty.
INTERPOSE_AS(int, uflow, "__uflow", (FILE * stream)) {
    return reading_one(stream, [&] { return REAL(uflow)(stream); });
}

INTERPOSE(char*, fgets, (char* to, int size, FILE* stream)) {
    return reading_line(stream, [&] { return REAL(fgets)(to, size, stream); });
}
INTERPOSE(char*, fgets_unlocked, (char* to, int size, FILE* stream)) {
    return reading_line(stream, [&] { return REAL(fgets_unlocked)(to, size, stream); });
}
INTERPOSE_AS(char*, fgets_chk, "__fgets_chk",
             (char* to, std::size_t room, int size, FILE* stream)) {
    return reading_line(stream, [&] { return REAL(fgets_chk)(to, room, size, stream); });
}
INTERPOSE_AS(char*, fgets_unlocked_chk, "__fgets_unlocked_chk",
             (char* to, std::size_t room, int size, FILE* stream)) {
    return reading_line(stream, [&] { return REAL(fgets_unlocked_chk)(to, room, size, stream); });
}
INTERPOSE(char*, gets, (char* to)) {
    return reading_line(stdin, [&] { return REAL(gets)(to); });
}
INTERPOSE_AS(char*, gets_chk, "__gets_chk", (char* to, std::size_t room)) {
    return reading_line(stdin, [&] { return REAL(gets_chk)(to, room); });
}
INTERPOSE(ssize_t, getline, (char** line, std::size_t* room, FILE* stream)) {
    return reading_length(stream, [&] { return REAL(getline)(line, room, stream); });
}
INTERPOSE(ssize_t, getdelim, (char** line, std::size_t* room, int end, FILE* stream)) {
    return reading_length(stream, [&] { return REAL(getdelim)(line, room, end, stream); });
}
INTERPOSE_AS(ssize_t, getdelim_old, "__getdelim",
             (char** line, std::size_t* room, int end, FILE* stream)) {
    return reading_length(stream, [&] { return REAL(getdelim_old)(line, room, end, stream); });
}

// What is variadic goes on to its va_list form, of the same dialect.
#define INTERPOSE_SCANS(prefix, name_prefix)                                                 \
    INTERPOSE_AS(int, name_prefix##vfscanf, prefix "vfscanf",                                \
                 (FILE * stream, const char* format, va_list values)) {                      \
        return scanning(stream,                                                              \
                        [&] { return REAL(name_prefix##vfscanf)(stream, format, values); }); \
    }                                                                                        \
    INTERPOSE_AS(int, name_prefix##vscanf, prefix "vscanf",                                  \
                 (const char* format, va_list values)) {                                     \
        return io_##name_prefix##vfscanf(stdin, format, values);                             \
    }                                                                                        \
    INTERPOSE_AS(int, name_prefix##fscanf, prefix "fscanf",                                  \
                 (FILE * stream, const char* format, ...)) {                                 \
        va_list values;                                                                      \
        va_start(values, format);                                                            \
        const int result = io_##name_prefix##vfscanf(stream, format, values);                \
        va_end(values);                                                                      \
        return result;                                                                       \
    }                                                                                        \
    INTERPOSE_AS(int, name_prefix##scanf, prefix "scanf", (const char* format, ...)) {       \
        va_list values;                                                                      \
        va_start(values, format);                                                            \
        const int result = io_##name_prefix##vfscanf(stdin, format, values);                 \
        va_end(values);                                                                      \
        return result;                                                                       \
    }
INTERPOSE_SCANS("", plain_)
INTERPOSE_SCANS("__isoc99_", c99_)
INTERPOSE_SCANS("__isoc23_", c23_)

}  // namespace ringside::preload
