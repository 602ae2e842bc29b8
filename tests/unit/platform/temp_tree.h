// A machine made of a few files, gone when the test is over.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/sys_root.h"

namespace ringside::platform {

class TempTree {
  public:
    TempTree() {
        path_ = (std::filesystem::temp_directory_path() / "rs_machineXXXXXX").string();
        if (::mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "cannot make " << path_;
    }
    TempTree(const TempTree&) = delete;
    TempTree& operator=(const TempTree&) = delete;
    ~TempTree() { std::filesystem::remove_all(path_); }

    TempTree& put(const std::string& path, std::string_view text) {
        std::filesystem::create_directories(std::filesystem::path(path_ + path).parent_path());
        std::ofstream(path_ + path, std::ios::binary) << text;
        return *this;
    }

    // A symbolic link with this text; what it points to need not exist.
    TempTree& link(const std::string& path, const std::string& target) {
        std::filesystem::create_directories(std::filesystem::path(path_ + path).parent_path());
        std::filesystem::create_symlink(target, path_ + path);
        return *this;
    }
    void remove(const std::string& path) { std::filesystem::remove_all(path_ + path); }

    base::SysRoot root() const { return base::SysRoot(path_); }

  private:
    std::string path_;
};

}  // namespace ringside::platform
