/* The high-level interface: nested regions in two threads, reported when the program ends. */
#include <papi.h>
#include <pthread.h>

#include "check.h"

static void *in_thread(void *unused) {
    (void)unused;
    CHECK(PAPI_hl_region_begin("thread") == PAPI_OK);
    CHECK(PAPI_hl_region_end("thread") == PAPI_OK);
    return NULL;
}

int main(void) {
    pthread_t thread;
    CHECK(PAPI_hl_region_end("outer") == PAPI_EMISC);
    CHECK(PAPI_hl_region_begin("outer") == PAPI_OK);
    CHECK(PAPI_hl_region_begin("in\"ner") == PAPI_OK);
    CHECK(PAPI_hl_read("in\"ner") == PAPI_OK);
    CHECK(PAPI_hl_region_end("outer") == PAPI_EINVAL); /* not the innermost */
    CHECK(PAPI_hl_region_end("in\"ner") == PAPI_OK);
    CHECK(PAPI_hl_region_end("outer") == PAPI_OK);
    CHECK(pthread_create(&thread, NULL, in_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(PAPI_hl_stop() == PAPI_OK);
    CHECK(PAPI_hl_stop() == PAPI_ENOEVNT);
    CHECK(PAPI_hl_region_begin("never ended") == PAPI_OK);
    return 0;
}
