#include "vectors.h"
#include "base/text.h"
#include "driver/page.h"
