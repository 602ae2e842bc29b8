/* A check that ends the program with the line it failed on. */
#ifndef RINGSIDE_TESTS_PAPI_CHECK_H
#define RINGSIDE_TESTS_PAPI_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

#endif
