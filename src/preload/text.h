// Writing a path without stdio, which is not for signal handlers. Both return where the text ends;
// the caller has made room.
#pragma once

namespace ringside::preload {

inline char* append(char* at, const char* text) {
    while (*text != '\0') *at++ = *text++;
    return at;
}

inline char* append(char* at, unsigned number) {
    char digits[12];
    int count = 0;
    do {
        digits[count++] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0) *at++ = digits[--count];
    return at;
}

}  // namespace ringside::preload
