// One layer of an image: files gathered in sorted order and written as a cpio archive, and the
// libraries that programs among them need, found by reading the programs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "guest/files.h"

namespace ringside::guest {

// Trees that hold programs and libraries of one architecture, best first.
class LibraryPath {
  public:
    LibraryPath(std::string_view arch, std::vector<fs::path> roots);

    // Also look here, before the roots: libraries that lie beside a program just built.
    void add_directory(fs::path directory) { directories_.push_back(std::move(directory)); }

    // The ELF machine number of this architecture.
    int machine() const { return machine_; }
    // "aarch64-linux-gnu"
    const std::string& triplet() const { return triplet_; }
    std::optional<fs::path> library(std::string_view soname) const;
    std::optional<fs::path> program(std::string_view name) const;
    // An absolute path as the machine sees it, in the first root that has it.
    std::optional<fs::path> file(std::string_view path) const;

  private:
    std::string triplet_;
    int machine_ = 0;
    std::vector<fs::path> roots_;
    std::vector<fs::path> directories_;
};

// The architecture we run on, in Debian's words.
std::string_view native_arch();

class Layer {
  public:
    // Parents are added where missing. `name` has no leading '/'; the last one added counts.
    void add_file(std::string name, std::string content, std::uint32_t permissions = 0644);
    // A file, or a directory with all below it, with its permission bits.
    Result<void> add_tree(const fs::path& from, const std::string& name);
    // Every ELF file in the layer for that machine gets its interpreter and libraries. The names of
    // libraries found nowhere are returned.
    Result<std::vector<std::string>> add_libraries(const LibraryPath& path);

    std::string to_cpio() const;

  private:
    struct Item {
        std::uint32_t mode = 0;
        std::string content;
    };
    void add(std::string name, Item item);

    std::map<std::string, Item> items_;
};

}  // namespace ringside::guest
