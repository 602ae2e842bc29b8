#include "components/vmware/guest_library.h"

#include <array>

#include <dlfcn.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/error.h"

namespace ringside::components::vmware {

namespace {

// The library's codes: 0 is success; these two say that a value is not to be had.
constexpr int not_available = 4;
constexpr int unsupported_version = 10;

std::vector<GuestValue> read_table() {
    const auto text = base::embedded_file("vmware/guestlib.csv");
    RINGSIDE_ASSERT(text.has_value());
    std::vector<GuestValue> table;
    for (const auto& row : base::parse_csv(*text)) {
        RINGSIDE_ASSERT(row.size() == 6);
        if (row[0] == "name") continue;
        table.push_back({row[0], row[1], row[2] == "64", row[3] == "level", row[4], row[5]});
    }
    return table;
}

}  // namespace

const std::vector<GuestValue>& guest_values() {
    static const std::vector<GuestValue> table = read_table();
    return table;
}

struct GuestHandle::Library {
    explicit Library(void* loaded) : object(loaded) {}
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() { ::dlclose(object); }

    // Null where this version of the library has no such function.
    template <typename Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(::dlsym(object, name));
    }
    Error refusal(int code, const std::string& what) const {
        const auto text_of = function<const char*(int)>("VMGuestLib_GetErrorText");
        const std::string text = text_of != nullptr ? text_of(code) : std::to_string(code);
        const bool absent = code == not_available || code == unsupported_version;
        return base::fail(absent ? ErrorCode::not_found : ErrorCode::unsupported,
                          what + ": " + text);
    }

    void* object;
};

GuestHandle::GuestHandle(std::shared_ptr<Library> library, void* handle)
    : library_(std::move(library)), handle_(handle) {}

GuestHandle::GuestHandle(GuestHandle&& other) noexcept
    : library_(std::move(other.library_)),
      handle_(std::exchange(other.handle_, nullptr)),
      session_(other.session_) {}

GuestHandle::~GuestHandle() {
    if (handle_ == nullptr) return;
    const auto close = library_->function<int(void*)>("VMGuestLib_CloseHandle");
    if (close != nullptr) close(handle_);
}

Result<GuestHandle> GuestHandle::open(const std::string& library) {
    void* const object = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) {
        return base::fail(ErrorCode::not_found,
                          std::string("VMware's guest library is missing: ") + ::dlerror(),
                          "install open-vm-tools");
    }
    auto loaded = std::make_shared<Library>(object);
    const auto open_handle = loaded->function<int(void**)>("VMGuestLib_OpenHandle");
    if (open_handle == nullptr) {
        return base::fail(ErrorCode::unsupported, library + " is not VMware's guest library");
    }
    void* handle = nullptr;
    if (const int code = open_handle(&handle); code != 0) {
        return loaded->refusal(code, "the guest library gives no handle");
    }
    GuestHandle opened(std::move(loaded), handle);
    if (auto first = opened.update(); !first) return first.error();
    return opened;
}

Result<bool> GuestHandle::update() {
    const auto update_info = library_->function<int(void*)>("VMGuestLib_UpdateInfo");
    const auto session_of =
        library_->function<int(void*, std::uint64_t*)>("VMGuestLib_GetSessionId");
    if (update_info == nullptr || session_of == nullptr) {
        return base::fail(ErrorCode::unsupported, "the guest library lacks functions");
    }
    if (const int code = update_info(handle_); code != 0) {
        return library_->refusal(code, "the guest library gives no values");
    }
    std::uint64_t session = 0;
    if (const int code = session_of(handle_, &session); code != 0) {
        return library_->refusal(code, "the guest library gives no session");
    }
    return std::exchange(session_, session) != session;
}

Result<std::uint64_t> GuestHandle::read(const GuestValue& value) const {
    std::uint64_t wide = 0;
    std::uint32_t narrow = 0;
    int code = unsupported_version;
    if (value.wide) {
        const auto get = library_->function<int(void*, std::uint64_t*)>(value.function.c_str());
        if (get != nullptr) code = get(handle_, &wide);
    } else {
        const auto get = library_->function<int(void*, std::uint32_t*)>(value.function.c_str());
        if (get != nullptr) code = get(handle_, &narrow);
    }
    if (code != 0) return library_->refusal(code, "no value " + value.name);
    return value.wide ? wide : narrow;
}

std::string GuestHandle::resource_pool() const {
    using Get = int(void*, std::size_t*, char*);
    const auto get = library_->function<Get>("VMGuestLib_GetResourcePoolPath");
    std::array<char, 512> path{};
    std::size_t size = path.size();
    if (get == nullptr || get(handle_, &size, path.data()) != 0) return {};
    path.back() = '\0';
    return path.data();
}

}  // namespace ringside::components::vmware
