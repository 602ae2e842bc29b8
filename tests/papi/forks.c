/* Children that are forked while other threads are inside of the library: each begins anew, counts,
 * and ends. */
#include <papi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define THREADS 4
#define CHILDREN 200

static atomic_bool over;
static atomic_int rounds;

static unsigned long own_id(void) {
    return (unsigned long)syscall(SYS_gettid);
}

static void count_once(void) {
    int set = PAPI_NULL;
    int code = 0;
    long long value = -1;
    CHECK(PAPI_create_eventset(&set) == PAPI_OK);
    CHECK(PAPI_event_name_to_code("perf::TASK-CLOCK", &code) == PAPI_OK);
    CHECK(PAPI_add_event(set, code) == PAPI_OK);
    CHECK(PAPI_start(set) == PAPI_OK);
    CHECK(PAPI_stop(set, &value) == PAPI_OK);
    CHECK(value > 0);
    CHECK(PAPI_cleanup_eventset(set) == PAPI_OK);
    CHECK(PAPI_destroy_eventset(&set) == PAPI_OK);
}

static void *stay_inside(void *unused) {
    (void)unused;
    while (!atomic_load(&over)) {
        CHECK(PAPI_register_thread() == PAPI_OK);
        count_once();
        CHECK(PAPI_unregister_thread() == PAPI_OK);
        atomic_fetch_add(&rounds, 1);
    }
    return NULL;
}

/* Held by a thread that the child does not have. */
static void *hold_a_lock(void *unused) {
    (void)unused;
    CHECK(PAPI_lock(PAPI_USR1_LOCK) == PAPI_OK);
    atomic_fetch_add(&rounds, 1);
    while (!atomic_load(&over)) usleep(1000);
    CHECK(PAPI_unlock(PAPI_USR1_LOCK) == PAPI_OK);
    return NULL;
}

static void be_a_child(void) {
    alarm(60); /* a child that waits for a lock waits forever */
    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    CHECK(PAPI_thread_init(own_id) == PAPI_OK);
    CHECK(PAPI_lock(PAPI_USR1_LOCK) == PAPI_OK);
    CHECK(PAPI_unlock(PAPI_USR1_LOCK) == PAPI_OK);
    count_once();
    PAPI_shutdown();
    exit(0); /* with all that runs then */
}

int main(void) {
    pthread_t threads[THREADS + 1];
    int i;

    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    CHECK(PAPI_thread_init(own_id) == PAPI_OK);
    for (i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, stay_inside, NULL) == 0);
    CHECK(pthread_create(&threads[THREADS], NULL, hold_a_lock, NULL) == 0);
    while (atomic_load(&rounds) < 2 * THREADS) usleep(1000);
    for (i = 0; i < CHILDREN; ++i) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) be_a_child();
        CHECK(child > 0);
        CHECK(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "child %d ended with %#x\n", i, (unsigned)status);
            return 1;
        }
    }
    atomic_store(&over, true);
    for (i = 0; i <= THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    count_once();
    PAPI_shutdown();
    return 0;
}
