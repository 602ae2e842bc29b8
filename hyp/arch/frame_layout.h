// Where vectors.S finds things in a Frame; plain numbers, because an assembler reads them.
#pragma once

#define FRAME_PC 248
