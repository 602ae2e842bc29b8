/* Calls as Fortran compilers make them: all by reference, lengths of strings at the end. */
#include <papi.h>
#include <string.h>

#include "check.h"

void papif_library_init_(int *check);
void papif_create_eventset_(int *set, int *check);
void papif_add_named_event_(int *set, const char *name, int *check, int length);
void papif_event_code_to_name_(int *code, char *name, int *check, int length);
void papif_event_name_to_code__(const char *name, int *code, int *check, int length);
void papif_start(int *set, int *check);
void PAPIF_STOP(int *set, long long *values, int *check);
void papif_get_hardware_info_(int *ncpu, int *nnodes, int *totalcpus, int *vendor, char *vendor_string,
                              int *model, char *model_string, float *revision, float *mhz,
                              int vendor_length, int model_length);
void papif_get_dmem_info_(long long *values, int *check);
void papif_get_event_info_(int *code, char *symbol, char *long_descr, char *short_descr, int *count,
                           char *note, int *flags, int *check, int symbol_length, int long_length,
                           int short_length, int note_length);
void papif_get_real_usec_(long long *usec);
void papif_shutdown_(void);

int main(void) {
    int set = PAPI_NULL;
    int check = PAPI_VER_CURRENT;
    int code = 0;
    int numbers[5];
    float revision, mhz;
    long long value = 0;
    long long memory[PAPIF_DMEM_MAXVAL];
    char name[40], vendor[12], model[200], symbol[32], long_descr[64], short_descr[16], note[16];
    int flags = 0;
    int count = 0;

    papif_library_init_(&check);
    CHECK(check == PAPI_VER_CURRENT);
    papif_create_eventset_(&set, &check);
    CHECK(check == PAPI_OK);
    papif_add_named_event_(&set, "perf::TASK-CLOCK    ", &check, 20);
    CHECK(check == PAPI_OK);
    papif_event_name_to_code__("perf::TASK-CLOCK", &code, &check, 16);
    CHECK(check == PAPI_OK);
    memset(name, 'x', sizeof name);
    papif_event_code_to_name_(&code, name, &check, (int)sizeof name);
    CHECK(memcmp(name, "perf::TASK-CLOCK                        ", sizeof name) == 0);
    papif_start(&set, &check);
    CHECK(check == PAPI_OK);
    PAPIF_STOP(&set, &value, &check);
    CHECK(check == PAPI_OK && value > 0);
    papif_get_hardware_info_(&numbers[0], &numbers[1], &numbers[2], &numbers[3], vendor, &numbers[4],
                             model, &revision, &mhz, (int)sizeof vendor, (int)sizeof model);
    CHECK(numbers[2] >= 1 && model[sizeof model - 1] == ' ');
    papif_get_dmem_info_(memory, &check);
    CHECK(check == PAPI_OK && memory[PAPIF_DMEM_RESIDENT - 1] > 0);
    code = PAPI_TOT_CYC;
    papif_get_event_info_(&code, symbol, long_descr, short_descr, &count, note, &flags, &check,
                          (int)sizeof symbol, (int)sizeof long_descr, (int)sizeof short_descr,
                          (int)sizeof note);
    CHECK(check == PAPI_OK && memcmp(symbol, "PAPI_TOT_CYC ", 13) == 0);
    papif_get_real_usec_(&value);
    CHECK(value > 0);
    papif_shutdown_();
    return 0;
}
