// Carries the interposer, and does what makes it count.
#include <cstdio>

int main() {
    return std::puts("ran") < 0 ? 1 : 0;
}
