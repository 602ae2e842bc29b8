#include "bpf/loading.h"

#include <cerrno>

#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

namespace ringside::bpf {

namespace {

constexpr const char* hint_for_privileges =
    "run as root, or with CAP_BPF and CAP_PERFMON; the kernel needs BTF and version 5.12 or later";

std::size_t whole_pages(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

}  // namespace

Result<void> require_first_pid_namespace(const base::SysRoot& root) {
    const auto link = root.read_link("/proc/self/ns/pid");
    // PROC_PID_INIT_INO in linux/proc_ns.h
    if (link && *link == "pid:[4026531836]") return {};
    return base::fail(ErrorCode::unsupported, "BPF sees other thread ids than this container does",
                      "run outside of the container, or with its pid namespace shared");
}

Result<void> load_object(bpf_object* object) {
    const int error = bpf_object__load(object);
    if (error == 0) return {};
    return base::fail_errno(-error, "cannot load the BPF program", hint_for_privileges);
}

Result<bpf_link*> attach_program(const bpf_object* object, const char* name) {
    bpf_link* link = bpf_program__attach(bpf_object__find_program_by_name(object, name));
    if (link != nullptr) return link;
    return base::fail_errno(errno, std::string("cannot attach the BPF program ") + name);
}

Result<base::Mmap> map_table(const bpf_object* object, const char* name, std::size_t entry_bytes,
                             std::size_t entries) {
    const int fd = bpf_object__find_map_fd_by_name(object, name);
    // The kernel rounds an array's entries up to 8 bytes, and the whole up to pages.
    const std::size_t size = whole_pages(entry_bytes * entries);
    void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED) {
        return base::fail_errno(errno, std::string("cannot map the BPF table ") + name);
    }
    return base::Mmap(address, size);
}

}  // namespace ringside::bpf
