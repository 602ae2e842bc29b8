// Opening what is a file, and writing that is whole or an error.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include <ringside/result.h>

#include "base/fd.h"

namespace ringside::base {

// For reading. What is no regular file is not even opened: that alone may block, as with a pipe, or
// do something, as with a watchdog.
Result<Fd> open_regular(const std::string& path);

// All of `bytes`; the error names `name`, as in "a.json" or "standard output".
Result<void> write_all(int fd, std::string_view bytes, const std::string& name);

// A file on its way to its name: it is written under another one beside it, and takes its name
// whole. A crash or a power cut leaves what was there before, or all of the new file.
// Devices, pipes and folders are never replaced.
class Draft {
  public:
    static Result<Draft> beside(const std::string& path, mode_t mode);
    // For `name`, which is one part of a path, in a folder that is open (O_PATH is enough).
    static Result<Draft> in(Fd folder, const std::string& name, mode_t mode);
    Draft(Draft&& other) noexcept;
    Draft& operator=(Draft&&) = delete;
    // Removes what was not published.
    ~Draft();

    int fd() const { return fd_.get(); }
    // What was written is on the disk, wherever its name stands.
    Result<void> sync() const;
    // It takes its name, in place of what was there. Once.
    Result<void> publish();
    // It takes `name` in the same folder, unless something has that already: then it is false, and
    // may be tried with another.
    Result<bool> publish_as_new(const std::string& name);

  private:
    static Result<Draft> make(Fd folder, const std::string& name, mode_t mode, std::string shown);
    Draft(Fd folder, std::string name, std::string shown)
        : folder_(std::move(folder)), name_(std::move(name)), shown_(std::move(shown)) {}
    void sync_folder() const;

    Fd folder_;
    std::string name_;
    std::string shown_;    // as errors call it
    std::string made_as_;  // the name it has until it is published; empty afterwards
    Fd fd_;
};

// The file holds all of `content` or is what it was.
Result<void> replace_file(const std::string& path, std::string_view content, mode_t mode = 0644);

// All that was written below `folder` is on the disk, and with it all of its file system: for many
// files that take their place as one.
Result<void> sync_file_system_of(const std::string& folder);

}  // namespace ringside::base
