#include "vpmu/admission.h"

#include <gtest/gtest.h>

namespace ringside::vpmu {
namespace {

TEST(Admission, HiddenMachinesAndWatchingEventsExcludeEachOther) {
    Admission host;
    HostEventRequest watching;
    HostEventRequest own;
    own.in_guest = false;
    EXPECT_TRUE(host.admit_machine(Policy::legacy));
    EXPECT_TRUE(host.admit_event(watching));
    EXPECT_FALSE(host.admit_machine(Policy::mediated));
    host.event_gone(watching);
    EXPECT_TRUE(host.admit_machine(Policy::lazy_mediated));
    EXPECT_FALSE(host.admit_event(watching));
    EXPECT_TRUE(host.admit_event(own)) << "exclude_guest is welcome";
    host.event_gone(own);
    host.machine_gone(Policy::lazy_mediated);
    EXPECT_TRUE(host.admit_event(watching));
}

}  // namespace
}  // namespace ringside::vpmu
