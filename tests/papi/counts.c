/* What a C program does with libpapi, from its first call to its last. */
#include <papi.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

static int overflows = 0;

static void on_overflow(int set, void *address, long long vector, void *context) {
    (void)set;
    (void)address;
    (void)vector;
    (void)context;
    ++overflows;
}

static unsigned long own_id(void) {
    return (unsigned long)syscall(SYS_gettid);
}

static void work(void) {
    long long end = PAPI_get_virt_usec() + 5000;
    while (PAPI_get_virt_usec() < end) {
    }
}

static void *in_thread(void *unused) {
    int set = PAPI_NULL;
    long long value = 0;
    (void)unused;
    CHECK(PAPI_register_thread() == PAPI_OK);
    CHECK(PAPI_create_eventset(&set) == PAPI_OK);
    CHECK(PAPI_add_named_event(set, "perf::TASK-CLOCK") == PAPI_OK);
    CHECK(PAPI_start(set) == PAPI_OK);
    work();
    CHECK(PAPI_stop(set, &value) == PAPI_OK);
    /* Another clock of the kernel than the one that work() looks at: they differ by microseconds. */
    CHECK(value >= 4950000);
    CHECK(PAPI_cleanup_eventset(set) == PAPI_OK);
    CHECK(PAPI_destroy_eventset(&set) == PAPI_OK);
    CHECK(PAPI_unregister_thread() == PAPI_OK);
    return NULL;
}

int main(void) {
    int set = PAPI_NULL;
    int clock = 0;
    long long values[2] = {0, 0};
    char name[PAPI_MAX_STR_LEN];
    pthread_t thread;
    const PAPI_hw_info_t *hardware;

    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    CHECK(PAPI_thread_init(own_id) == PAPI_OK);
    hardware = PAPI_get_hardware_info();
    CHECK(hardware != NULL);
    printf("%d CPUs, virtualized %d by \"%s\"\n", hardware->totalcpus, hardware->virtualized,
           hardware->virtual_vendor_string);
    CHECK(PAPI_create_eventset(&set) == PAPI_OK);
    CHECK(PAPI_event_name_to_code("perf::TASK-CLOCK", &clock) == PAPI_OK);
    CHECK(PAPI_event_code_to_name(clock, name) == PAPI_OK);
    CHECK(strcmp(name, "perf::TASK-CLOCK") == 0);
    CHECK(PAPI_add_event(set, clock) == PAPI_OK);
    CHECK(PAPI_add_named_event(set, "perf::PAGE-FAULTS") == PAPI_OK);
    CHECK(PAPI_overflow(set, clock, 500000, 0, on_overflow) == PAPI_OK);
    CHECK(PAPI_start(set) == PAPI_OK);
    work();
    CHECK(PAPI_read(set, values) == PAPI_OK);
    CHECK(values[0] >= 4950000);
    CHECK(PAPI_stop(set, values) == PAPI_OK);
    CHECK(overflows > 0);
    CHECK(pthread_create(&thread, NULL, in_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(PAPI_cleanup_eventset(set) == PAPI_OK);
    CHECK(PAPI_destroy_eventset(&set) == PAPI_OK);
    PAPI_shutdown();
    CHECK(PAPI_is_initialized() == PAPI_NOT_INITED);
    return 0;
}
