// Files of a test: tests run side by side, so each process has a folder of its own.
#pragma once

#include <filesystem>
#include <string>

#include <unistd.h>

namespace ringside::scratch {

// The path of a file that is gone, with its folder, when this process ends.
inline std::string file(const std::string& name) {
    namespace fs = std::filesystem;
    struct Folder {
        pid_t owner = ::getpid();
        fs::path path = fs::temp_directory_path() / ("ringside_test." + std::to_string(owner));
        Folder() { fs::create_directories(path); }
        ~Folder() {
            if (::getpid() == owner) fs::remove_all(path);  // a forked child leaves it alone
        }
    };
    static const Folder folder;
    return folder.path / name;
}

}  // namespace ringside::scratch
