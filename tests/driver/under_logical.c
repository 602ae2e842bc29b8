/* driver/logical.c, and ways to what is static in it. */
#include "driver/logical.c"

int logical_try_counters(void) {
    const int error = make_counters();

    return error ? error : (int)counters;
}

void logical_forget_counters(void) {
    free_counters();
}

uint64_t logical_count(unsigned counter) {
    return count(counter);
}
