#include <vector>
#include <fmt/format.h>
