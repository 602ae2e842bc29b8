// A guest that writes anything to any PMU register, under any policy, must see exactly what a PMU
// of its own would show, and must not crash the engine.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "world.h"

namespace {

using namespace ringside;
using namespace ringside::vpmu;

class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
    template <typename T>
    T take() {
        T value{};
        const std::size_t bytes = left_ < sizeof value ? left_ : sizeof value;
        if (bytes != 0) std::memcpy(&value, data_, bytes);
        data_ += bytes;
        left_ -= bytes;
        return value;
    }
    bool is_empty() const { return left_ == 0; }

  private:
    const std::uint8_t* data_;
    std::size_t left_;
};

// Any 32-bit number is an MSR, an RDPMC index or a system-register encoding; many more hit if the
// interesting ranges are a byte away.
Register some_register(Bytes& bytes, const PmuModel& model) {
    const auto how = bytes.take<std::uint8_t>();
    const auto number = bytes.take<std::uint16_t>();
    if (model.is_arm())
        return decode_sysreg(model, std::uint16_t(how % 4 ? 0xda00 | (number & 0x7ff) : number));
    switch (how % 5) {
        case 0:
            return decode_msr(model, number);
        case 1:
            return decode_msr(model, 0xc0010000 + number % 0x220);
        case 2:
            return decode_msr(model, 0xc0000300 + number % 4);
        case 3:
            return decode_msr(model, 0x180 + number % 0x220);
        default:
            return decode_rdpmc(model, number | (how & 0x80u) << 23);
    }
}

void one_step(proof::World& world, Bytes& bytes, const PmuModel& model) {
    const auto what = bytes.take<std::uint8_t>();
    const lab::Occurrence happened[] = {
        {model.is_arm() ? std::uint16_t{8} : std::uint16_t{0xc0}, 0, bytes.take<std::uint16_t>()}};
    switch (what % 8) {
        case 0:
            world.leave(0, what & 8 ? ExitReason::fast : ExitReason::other);
            break;
        case 1:
            world.run_guest(0, what & 8 ? Mode::guest_user : Mode::guest_kernel, happened);
            break;
        case 2:
            world.switch_away(0);
            world.switch_to(0, what >> 3 & 1);
            break;
        default: {
            const Register which = some_register(bytes, model);
            const auto privilege = what & 16 ? Privilege::user : Privilege::kernel;
            world.access(0, which, (what & 8) != 0, bytes.take<std::uint64_t>(), privilege);
        }
    }
    world.enter(0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const PmuModel models[] = {intel_perfmon(4, 3), amd_perfmon_v2(6), arm_pmuv3(6),
                               arm_pmuv3(4, 6)};
    proof::Setup setup{.host = models[bytes.take<std::uint8_t>() % 4]};
    setup.guest = setup.host;
    // paravirtual, the last policy, has no registers.
    setup.policy = static_cast<Policy>(bytes.take<std::uint8_t>() % (policy_count - 1));
    setup.direct = bytes.take<std::uint8_t>() % 2 != 0;
    setup.cpus = 1;
    setup.vcpus_each = 1;
    setup.host_events = false;
    proof::World world(setup);
    world.switch_to(0, 0);
    world.enter(0);
    while (!bytes.is_empty() && !world.violation()) one_step(world, bytes, setup.guest);
    world.check_all();
    if (world.violation()) {
        std::fprintf(stderr, "broken: %s (%s)\n", world.violation()->invariant.c_str(),
                     world.violation()->detail.c_str());
        std::abort();
    }
    return 0;
}
