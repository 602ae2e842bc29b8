// VMware's guest library, found at run time. What is called here is declared after the public
// description of the GuestLib API; nothing of it is needed to build.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ringside/result.h>

namespace ringside::components::vmware {

// A row of data/vmware/guestlib.csv.
struct GuestValue {
    std::string name;
    std::string function;
    bool wide = false;  // 64 bits
    bool level = false;
    std::string unit;
    std::string description;
};
const std::vector<GuestValue>& guest_values();

// A handle of the library: a snapshot of all values. Used by one thread at a time.
class GuestHandle {
  public:
    // Fails when the library cannot be loaded, or says that this is not its hypervisor or that it
    // is not enabled on the host.
    static Result<GuestHandle> open(const std::string& library);
    GuestHandle(GuestHandle&&) noexcept;
    GuestHandle& operator=(GuestHandle&&) = delete;
    ~GuestHandle();

    // Takes a new snapshot. True when the machine was moved, suspended or reverted since the last
    // one, after which totals begin anew.
    Result<bool> update();
    // Of the last snapshot. Fails where this host or this version of the library has no such value.
    Result<std::uint64_t> read(const GuestValue& value) const;
    // The host's name for where the machine belongs; empty if it does not say.
    std::string resource_pool() const;

  private:
    struct Library;
    GuestHandle(std::shared_ptr<Library> library, void* handle);

    std::shared_ptr<Library> library_;
    void* handle_;
    std::uint64_t session_ = 0;
};

}  // namespace ringside::components::vmware
