#include "profile/world.h"

#include <fmt/format.h>

namespace ringside::profile {

std::string Module::short_name() const {
    if (kind == Kind::kernel || kind == Kind::guest_kernel) return path;
    if (kind == Kind::generated && path.starts_with(jit_map_prefix))
        return "[JIT] tid " + std::to_string(pid);
    const auto slash = path.rfind('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (kind != Kind::kernel_module || name.starts_with('[')) return name;
    // "virtio_net.ko.xz" is the module virtio_net; file names may have '-' where modules have '_'.
    name = name.substr(0, name.find(".ko"));
    for (auto& letter : name)
        if (letter == '-') letter = '_';
    return "[" + name + "]";
}

World::World() {
    new_image(std::make_shared<AddressSpace>());  // the kernel
    image_owner_[kernel_image] = 0;
    intern_comm("");
}

ImageId World::new_image(std::shared_ptr<AddressSpace> space) {
    images_.push_back(std::move(space));
    image_owner_.push_back(0);
    return static_cast<ImageId>(images_.size() - 1);
}

ModuleId World::intern_module(Module module) {
    if (module.build_id.empty() && module.machine == 0)
        if (const auto noted = build_ids_.find(module.path); noted != build_ids_.end())
            module.build_id = noted->second;
    std::string key = fmt::format("{}\n{}\n{}", module.machine, module.build_id, module.path);
    const auto [found, added] =
        module_by_key_.emplace(std::move(key), static_cast<ModuleId>(modules_.size()));
    if (added) modules_.push_back(std::move(module));
    return found->second;
}

CommId World::intern_comm(std::string_view comm) {
    const auto [found, added] =
        comm_by_name_.emplace(std::string(comm), static_cast<CommId>(comms_.size()));
    if (added) comms_.emplace_back(comm);
    return found->second;
}

template <typename T>
const T* World::at(const std::unordered_map<TaskKey, History<T>>& histories, TaskKey key,
                   std::uint64_t time_ns) {
    const auto found = histories.find(key);
    if (found == histories.end()) return nullptr;
    const History<T>& history = found->second;
    for (auto entry = history.rbegin(); entry != history.rend(); ++entry)
        if (entry->time_ns <= time_ns) return &entry->value;
    return &history.front().value;
}

// The image that `pid` has at the end of its history so far, changed by nobody else: a fork shares
// its parent's until it maps something itself.
ImageId World::own_image(TaskKey pid, std::uint64_t time_ns) {
    auto& history = process_images_[pid];
    if (!history.empty() && image_owner_[history.back().value] == pid) return history.back().value;
    auto space = history.empty()
                     ? std::make_shared<AddressSpace>()
                     : std::make_shared<AddressSpace>(images_[history.back().value]->fork());
    const ImageId id = new_image(std::move(space));
    image_owner_[id] = pid;
    history.push_back({time_ns, id});
    return id;
}

ImageId World::guest_image(std::uint32_t pid) {
    const auto [found, added] = guest_images_.emplace(pid, 0);
    if (!added) return found->second;
    const ImageId image = new_image(std::make_shared<AddressSpace>());
    found->second = image;
    // Recordings seldom say where the guest's kernel lies, and for no VMM in particular. On 64-bit
    // machines it has all addresses with the highest bit set.
    Mapping upper_half;
    upper_half.start = std::uint64_t{1} << 63;
    upper_half.end = ~std::uint64_t{0};
    Module kernel;
    kernel.path = fmt::format("[guest.kernel.kallsyms.{}]", pid);
    kernel.kind = Module::Kind::guest_kernel;
    kernel.machine = kernel.pid = pid;
    map_into(image, 0, upper_half, std::move(kernel));
    return image;
}

void World::map(TaskKey pid, std::uint64_t time_ns, const Mapping& where, Module module,
                perf::CpuMode mode) {
    ImageId image = kernel_image;
    if (mode == perf::CpuMode::guest_kernel)
        image = guest_image(module.machine);
    else if (mode != perf::CpuMode::kernel)
        image = own_image(pid, time_ns);
    map_into(image, time_ns, where, std::move(module));
}

void World::map_into(ImageId image, std::uint64_t time_ns, Mapping mapping, Module module) {
    mapping.module = intern_module(std::move(module));
    mappings_.push_back(mapping);
    images_[image]->map(time_ns, mapping, static_cast<MappingId>(mappings_.size() - 1));
}

void World::fork(TaskKey pid, TaskKey parent_pid, TaskKey tid, TaskKey parent_tid,
                 std::uint64_t time_ns) {
    if (const CommId* comm = at(thread_comms_, parent_tid, time_ns))
        thread_comms_[tid].push_back({time_ns, *comm});
    if (pid == parent_pid) return;
    if (const ImageId* image = at(process_images_, parent_pid, time_ns)) {
        // From here on neither may change what both see.
        image_owner_[*image] = 0;
        process_images_[pid].push_back({time_ns, *image});
    }
}

void World::name_thread(TaskKey pid, TaskKey tid, std::uint64_t time_ns, std::string_view comm,
                        bool exec) {
    thread_comms_[tid].push_back({time_ns, intern_comm(comm)});
    if (!exec) return;
    const ImageId id = new_image(std::make_shared<AddressSpace>());
    image_owner_[id] = pid;
    process_images_[pid].push_back({time_ns, id});
}

void World::name_cgroup(std::uint64_t id, std::string_view path) {
    cgroups_[id] = path;
}

std::string World::cgroup(std::uint64_t id) const {
    const auto found = cgroups_.find(id);
    return found != cgroups_.end() ? found->second : std::to_string(id);
}

ImageId World::image_of(TaskKey pid, std::uint64_t time_ns) const {
    const ImageId* image = at(process_images_, pid, time_ns);
    return image != nullptr ? *image : kernel_image;
}

CommId World::comm_of(TaskKey tid, std::uint64_t time_ns) const {
    const CommId* comm = at(thread_comms_, tid, time_ns);
    return comm != nullptr ? *comm : 0;
}

}  // namespace ringside::profile
