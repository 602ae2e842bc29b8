#include "platform/container_signs.h"

#include "base/text.h"
#include "platform/readers.h"
#include "proc/mounts.h"

namespace ringside::platform {

namespace {

using Observations = std::vector<Observation>;

// An absent file is an answer; one that may not be read is not.
std::optional<std::string> read_or_note(const base::SysRoot& root, const std::string& path,
                                        std::vector<Evidence>& unread) {
    auto text = root.read(path);
    if (text) return std::move(text).value();
    if (text.error().code != ErrorCode::not_found) unread.push_back({path, text.error().what});
    return std::nullopt;
}

void observe_markers(Observations& all, const base::SysRoot& root) {
    for (const std::string path :
         {"/run/.containerenv", "/.dockerenv", "/var/run/secrets/kubernetes.io"}) {
        if (root.exists(path)) all.push_back({"marker", path + " exists", path});
    }
}

void observe_init(Observations& all, const base::SysRoot& root, std::vector<Evidence>& unread) {
    const std::string environ = "/proc/1/environ";
    if (const auto text = read_or_note(root, environ, unread)) {
        const auto value = parse_container_variable(*text);
        if (value) all.push_back({"environ", environ + " container=", *value});
    }
    const auto systemd = read_line(root, "/run/systemd/container");
    if (systemd.value) all.push_back({"systemd", systemd.evidence.source, *systemd.value});
}

void observe_cgroups(Observations& all, const base::SysRoot& root, std::vector<Evidence>& unread) {
    const std::string path = "/proc/1/cgroup";
    const auto text = read_or_note(root, path, unread);
    if (!text) return;
    for (auto& each : proc::parse_cgroup_paths(*text))
        all.push_back({"cgroup", path, std::move(each)});
}

void observe_root_mount(Observations& all, const base::SysRoot& root,
                        std::vector<Evidence>& unread) {
    const std::string path = "/proc/self/mountinfo";
    const auto text = read_or_note(root, path, unread);
    const auto mount = text ? proc::find_mount(*text, "/") : std::nullopt;
    if (!mount) return;
    const std::string source = path + " root is " + mount->type + " on " + shown(mount->source);
    if (mount->type == "overlay") {
        all.push_back({"root_overlay", source, mount->options});
    } else if (mount->root == "/" && mount->source.starts_with("/dev/") &&
               !base::contains(mount->source, "docker")) {
        all.push_back({"root_mount", source, "block device"});
    }
}

}  // namespace

std::vector<Observation> observe_container(const base::SysRoot& root,
                                           std::vector<Evidence>& unread) {
    Observations all;
    observe_markers(all, root);
    observe_init(all, root, unread);
    observe_cgroups(all, root, unread);
    observe_root_mount(all, root, unread);
    return all;
}

std::optional<std::string> parse_container_variable(std::string_view environ) {
    constexpr std::string_view name = "container=";
    for (const auto entry : base::split(environ, '\0')) {
        if (entry.starts_with(name)) return std::string(base::trim(entry.substr(name.size())));
    }
    return std::nullopt;
}

}  // namespace ringside::platform
