/* Presets of components other than the CPU's. Ringside's components have none. */
#ifndef RINGSIDE_PAPI_COMPONENTS_CONFIG_EVENT_DEFS_H
#define RINGSIDE_PAPI_COMPONENTS_CONFIG_EVENT_DEFS_H
#endif
