// Error codes. The only place where an Error becomes an int.
#pragma once

#include <ringside/result.h>

namespace ringside::papi {

// The documented code that says best what happened. Sets errno where the code is PAPI_ESYS.
int code_of(const Error& error);

// What PAPI_strerror() gives for it; nullptr if there is no such code. Static storage.
const char* text_of(int code);

// Remembers an error for PAPI_perror(), and gives it back.
int note_failure(int code);
inline int note(int code) {
    return code >= 0 ? code : note_failure(code);
}
int last_noted();

}  // namespace ringside::papi
