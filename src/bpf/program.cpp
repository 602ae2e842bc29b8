#include "bpf/program.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include "base/error.h"

namespace ringside::bpf {

namespace {

constexpr const char* hint_for_privileges =
    "run as root, or with CAP_BPF and CAP_PERFMON; the kernel needs BTF and version 5.13 or later";

// libbpf writes to stderr unless told otherwise, and a library does not print.
class Quiet {
  public:
    Quiet() : before_(libbpf_set_print(nullptr)) {}
    ~Quiet() { libbpf_set_print(before_); }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

  private:
    libbpf_print_fn_t before_;
};

std::size_t whole_pages(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

}  // namespace

Result<void> check_thread_ids(const base::SysRoot& root) {
    const auto link = root.read_link("/proc/self/ns/pid");
    if (link && *link == "pid:[4026531836]") return {};  // PROC_PID_INIT_INO in linux/proc_ns.h
    return base::fail(ErrorCode::unsupported, "BPF sees other thread ids than this container does",
                      "run outside of the container, or with its pid namespace shared");
}

std::size_t possible_cpus() {
    return static_cast<std::size_t>(std::max(1, libbpf_num_possible_cpus()));
}

Program::Program(Program&& other) noexcept
    : object_(std::exchange(other.object_, nullptr)), links_(std::move(other.links_)) {
    other.links_.clear();
}

Program& Program::operator=(Program&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(links_, other.links_);
    return *this;
}

Program::~Program() {
    for (bpf_link* link : links_) bpf_link__destroy(link);
    bpf_object__close(object_);
}

Result<Program> Program::open(std::span<const std::byte> code) {
    const Quiet quiet;
    Program program;
    program.object_ = bpf_object__open_mem(code.data(), code.size(), nullptr);
    if (program.object_ == nullptr) return base::fail_errno(errno, "cannot read the BPF program");
    return program;
}

Result<bpf_map*> Program::find(const char* table) const {
    bpf_map* map = bpf_object__find_map_by_name(object_, table);
    if (map == nullptr) {
        return base::fail(ErrorCode::not_found, std::string("no BPF table ") + table);
    }
    return map;
}

Result<void> Program::resize(const char* table, std::size_t entries) {
    const auto map = find(table);
    if (!map) return map.error();
    const int error = bpf_map__set_max_entries(*map, static_cast<__u32>(entries));
    if (error != 0) return base::fail_errno(-error, std::string("cannot resize ") + table);
    return {};
}

Result<void> Program::leave_out(const char* program) {
    const int error =
        bpf_program__set_autoload(bpf_object__find_program_by_name(object_, program), false);
    if (error != 0) return base::fail_errno(-error, std::string("cannot leave out ") + program);
    return {};
}

Result<void> Program::set_constants(std::span<const std::byte> bytes) {
    const auto map = find(".rodata");
    if (!map) return map.error();
    const int error = bpf_map__set_initial_value(*map, bytes.data(), bytes.size());
    if (error != 0) return base::fail_errno(-error, "cannot set the constants of the BPF program");
    return {};
}

Result<void> Program::load() {
    const Quiet quiet;
    const int error = bpf_object__load(object_);
    if (error != 0) {
        return base::fail_errno(-error, "cannot load the BPF program", hint_for_privileges);
    }
    return {};
}

Result<void> Program::attach(std::initializer_list<const char*> programs) {
    const Quiet quiet;
    for (const char* name : programs) {
        bpf_link* link = bpf_program__attach(bpf_object__find_program_by_name(object_, name));
        if (link == nullptr) {
            return base::fail_errno(errno, std::string("cannot attach the BPF program ") + name);
        }
        links_.push_back(link);
    }
    return {};
}

int Program::program_fd(const char* name) const {
    const bpf_program* program = bpf_object__find_program_by_name(object_, name);
    return program == nullptr ? -1 : bpf_program__fd(program);
}

int Program::table_fd(const char* name) const {
    return bpf_object__find_map_fd_by_name(object_, name);
}

Result<base::Mmap> Program::map(const char* table, std::size_t entry_bytes,
                                std::size_t entries) const {
    // The kernel rounds an array's entries up to 8 bytes, and the whole up to pages.
    const std::size_t size = whole_pages(entry_bytes * entries);
    void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, table_fd(table), 0);
    if (address == MAP_FAILED) {
        return base::fail_errno(errno, std::string("cannot map the BPF table ") + table);
    }
    return base::Mmap(address, size);
}

std::optional<std::uint32_t> run_once(int program_fd, int cpu,
                                      std::span<const std::uint64_t> arguments) {
    bpf_test_run_opts options{};
    options.sz = sizeof options;
    options.ctx_in = arguments.empty() ? nullptr : arguments.data();
    options.ctx_size_in = static_cast<__u32>(arguments.size_bytes());
    if (cpu != on_own_cpu) {
        options.flags = BPF_F_TEST_RUN_ON_CPU;
        options.cpu = static_cast<__u32>(cpu);
    }
    if (bpf_prog_test_run_opts(program_fd, &options) != 0) return std::nullopt;
    return options.retval;
}

}  // namespace ringside::bpf
