// Atomic additions across the end of a cache line, which QEMU cannot do beside other vCPUs: it
// leaves the block in its middle, has the others stand still, and executes the one instruction.
#include <cstdio>

int main() {
    alignas(64) static unsigned char lines[128];
    void* across = lines + 62;
    for (int i = 0; i < 20000; ++i) {
        // Behind it there is more of the block, which must not be counted twice.
        asm volatile(
            "nop\n\tnop\n\tlock addl $1, (%0)\n\t"
            "nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop"
            :
            : "r"(across)
            : "memory");
    }
    const auto count = lines[62] | lines[63] << 8 | lines[64] << 16;
    std::printf("%d\n", count);
}
