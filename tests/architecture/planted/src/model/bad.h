#include "base/text.h"
#include "platform/machine.h"
