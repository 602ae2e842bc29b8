# Copies PAPI's C headers into build/*/papi/include, and makes the Fortran ones from them: the same
# constants as PARAMETERs of Fortran 77 and 90, and as macros for a preprocessor.
file(MAKE_DIRECTORY ${papi_tree}/include)
foreach(header papi.h papiStdEventDefs.h papi_components_config_event_defs.h)
    configure_file(${papi_headers}/${header} ${papi_tree}/include/${header} COPYONLY)
endforeach()
