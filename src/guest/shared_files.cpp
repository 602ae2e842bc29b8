#include "guest/shared_files.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>

#include <fnmatch.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/process.h"
#include "base/text.h"

namespace ringside::guest {

namespace {

bool is_strictly_below(const fs::path& path, const fs::path& folder) {
    const auto relative = path.lexically_relative(folder);
    return !relative.empty() && relative != "." && *relative.begin() != "..";
}

std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        entries.push_back(entry->path());
    }
    return entries;
}

// Adds what is public and says whether that is all. What a link points to is looked at where it
// lies.
bool add_public(const fs::path& path, std::vector<fs::path>& to) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return false;
    if (S_ISLNK(status.st_mode)) return true;
    const bool readable = (status.st_mode & S_IROTH) != 0;
    if (S_ISREG(status.st_mode)) {
        if (readable) to.push_back(path);
        return readable;
    }
    if (!S_ISDIR(status.st_mode) || !readable || (status.st_mode & S_IXOTH) == 0) return false;
    std::vector<fs::path> below;
    bool all = true;
    for (const auto& entry : entries_of(path)) all = add_public(entry, below) && all;
    if (all) below = {path};
    std::move(below.begin(), below.end(), std::back_inserter(to));
    return all;
}

class Collector {
  public:
    explicit Collector(const Homes& homes) : homes_(homes) {}

    void add(const fs::path& path) {
        if (!is_covered(path)) paths_.push_back(path);
    }
    void add_folder(const fs::path& folder);
    void add_word(const std::string& word, const fs::path& directory);
    std::vector<fs::path> take() { return std::move(paths_); }

  private:
    bool is_covered(const fs::path& path) const {
        return std::any_of(paths_.begin(), paths_.end(), [&](const auto& there) {
            return there == path || is_strictly_below(path, there);
        });
    }
    void add_parts(const fs::path& folder, const struct stat& status);
    void add_program(const fs::path& program);

    const Homes& homes_;
    std::vector<fs::path> paths_;
};

// All of it, unless it has homes, is one, or anyone may put files into it.
void Collector::add_folder(const fs::path& folder) {
    struct stat status {};
    if (folder == "/" || is_covered(folder) || ::stat(folder.c_str(), &status) != 0) return;
    const bool is_anyones = (status.st_mode & S_ISVTX) != 0;
    if (homes_.has(folder) || homes_.any_below(folder) || is_anyones) {
        add_parts(folder, status);
    } else {
        add(folder);
    }
}

void Collector::add_parts(const fs::path& folder, const struct stat& status) {
    const bool is_home = homes_.has(folder);
    const bool is_anyones = (status.st_mode & S_ISVTX) != 0;
    for (const auto& entry : entries_of(folder)) {
        struct stat found {};
        if (::lstat(entry.c_str(), &found) != 0 || homes_.has(entry)) continue;
        if (is_home && entry.filename().string().starts_with('.')) continue;
        if (is_anyones && found.st_uid != ::geteuid()) continue;
        if (S_ISDIR(found.st_mode)) add_folder(entry);
        if (S_ISREG(found.st_mode)) add(entry);
    }
}

// With what lies beside it, and for one in a folder `bin` with the libraries of its installation.
void Collector::add_program(const fs::path& program) {
    const fs::path folder = program.parent_path();
    add_folder(folder);
    add(program);
    if (folder.filename() != "bin" && folder.filename() != "sbin") return;
    std::error_code error;
    for (const auto* library : {"lib", "lib64", "libexec"}) {
        const fs::path beside = folder.parent_path() / library;
        if (fs::is_directory(beside, error)) add_folder(beside);
    }
}

void Collector::add_word(const std::string& word, const fs::path& directory) {
    const bool is_path = base::contains(word, "/");
    const auto found = is_path ? std::optional(word) : base::find_executable(word);
    if (!found) return;
    std::error_code error;
    const fs::path path = fs::canonical(directory / *found, error);
    if (error) return;
    if (fs::is_directory(path, error)) {
        // One below the root says too little of what is meant: "/home", "/var".
        if (path.has_parent_path() && path.parent_path() != "/") add_folder(path);
    } else if (fs::is_regular_file(path, error)) {
        if (::access(path.c_str(), X_OK) == 0) add_program(path);
        add(path);
    }
}

bool is_like(const std::string& name, const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// A table without its head.
std::vector<std::vector<std::string>> rows_of(const char* file, std::size_t columns) {
    const auto table = base::embedded_file(file);
    RINGSIDE_ASSERT(table.has_value());
    auto rows = base::parse_csv(*table);
    RINGSIDE_ASSERT(!rows.empty());
    rows.erase(rows.begin());
    for (const auto& row : rows) RINGSIDE_ASSERT(row.size() == columns);
    return rows;
}

}  // namespace

Homes Homes::of_this_machine() {
    std::vector<fs::path> folders;
    const auto add = [&](std::string_view home) {
        std::error_code error;
        const fs::path folder = fs::canonical(home, error);
        if (!error && folder != "/") folders.push_back(folder);
    };
    if (const char* home = std::getenv("HOME"); home != nullptr) add(home);
    const auto accounts = read_file("/etc/passwd").value_or("");
    for (const auto line : base::split_lines(accounts)) {
        const auto fields = base::split(line, ':');
        if (fields.size() == 7) add(fields[5]);
    }
    return Homes(std::move(folders));
}

bool Homes::has(const fs::path& folder) const {
    return std::find(folders_.begin(), folders_.end(), folder) != folders_.end();
}

bool Homes::any_below(const fs::path& folder) const {
    return std::any_of(folders_.begin(), folders_.end(),
                       [&](const auto& home) { return is_strictly_below(home, folder); });
}

std::vector<std::string> paths_like(const std::string& pattern) {
    glob_t found{};
    std::vector<std::string> paths;
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
        paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    ::globfree(&found);
    return paths;
}

std::vector<fs::path> public_files(const fs::path& folder) {
    std::vector<fs::path> paths;
    add_public(folder, paths);
    return paths;
}

std::vector<fs::path> shared_files(const ShareWish& wish, const Homes& homes) {
    Collector collector(homes);
    for (const auto& row : rows_of("guest/shared_files.csv", 2)) {
        for (const auto& path : paths_like(row[0])) {
            if (row[1] == "public") {
                for (const auto& part : public_files(path)) collector.add(part);
            } else {
                collector.add(path);
            }
        }
    }
    std::error_code error;
    const fs::path directory = fs::canonical(wish.directory, error);
    if (!error) collector.add_folder(directory);
    for (const auto& path : wish.more) {
        const fs::path wanted = fs::canonical(directory / path, error);
        if (!error) collector.add(wanted);
    }
    // A word may be a command itself, as with sh -c.
    for (const auto& word : wish.command) {
        for (const auto part : base::split_words(word)) {
            collector.add_word(std::string(part), directory);
        }
        collector.add_word(word, directory);
    }
    return collector.take();
}

SharedVariables shared_variables(const std::vector<std::string>& environment,
                                 const std::vector<std::string>& more) {
    std::vector<std::string> patterns = more;
    for (const auto& row : rows_of("guest/shared_variables.csv", 1)) patterns.push_back(row[0]);
    SharedVariables shared;
    for (const auto& variable : environment) {
        const std::string name = variable.substr(0, variable.find('='));
        const bool wanted = std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) {
            return is_like(name, pattern);
        });
        (wanted ? shared.kept : shared.left_out).push_back(wanted ? variable : name);
    }
    return shared;
}

}  // namespace ringside::guest
