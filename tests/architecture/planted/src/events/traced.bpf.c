#include "analysis/layout.h"
#include "model/layout.h"
