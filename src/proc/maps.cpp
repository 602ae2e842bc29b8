#include "proc/maps.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace ringside::proc {

namespace {

// Takes fields off the front of a line; once one was not as it should be, all that follow are not.
class Fields {
  public:
    explicit Fields(std::string_view line) : rest_(line) {}

    // A number, which ends with `end`; the last one may also end with the line.
    template <typename Number>
    void take(Number& number, int base, char end, bool last = false) {
        const auto* begin = rest_.data();
        const auto [stop, error] = std::from_chars(begin, begin + rest_.size(), number, base);
        rest_.remove_prefix(static_cast<std::size_t>(stop - begin));
        sound_ =
            sound_ && error == std::errc() && (rest_.starts_with(end) || (last && rest_.empty()));
        rest_.remove_prefix(std::min<std::size_t>(1, rest_.size()));
    }

    // "r-xp "
    std::string_view take_permissions() {
        constexpr std::size_t width = 4;
        sound_ = sound_ && rest_.size() > width && rest_[width] == ' ';
        if (!sound_) return "----";
        const auto permissions = rest_.substr(0, width);
        rest_.remove_prefix(width + 1);
        return permissions;
    }

    std::string_view rest() const {
        return rest_.substr(std::min(rest_.find_first_not_of(' '), rest_.size()));
    }
    bool sound() const { return sound_; }

  private:
    std::string_view rest_;
    bool sound_ = true;
};

}  // namespace

std::optional<Mapping> parse_mapping(std::string_view line) {
    line = line.substr(0, line.find('\n'));
    Fields fields(line);
    Mapping mapping;
    fields.take(mapping.start, 16, '-');
    fields.take(mapping.end, 16, ' ');
    const auto permissions = fields.take_permissions();
    mapping.readable = permissions[0] == 'r';
    mapping.writable = permissions[1] == 'w';
    mapping.executable = permissions[2] == 'x';
    mapping.shared = permissions[3] == 's';
    fields.take(mapping.file_offset, 16, ' ');
    fields.take(mapping.major, 16, ':');
    fields.take(mapping.minor, 16, ' ');
    fields.take(mapping.inode, 10, ' ', true);
    if (!fields.sound() || mapping.end <= mapping.start) return std::nullopt;
    mapping.path = fields.rest();
    return mapping;
}

std::vector<Mapping> parse_maps(std::string_view text) {
    std::vector<Mapping> mappings;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        if (auto mapping = parse_mapping(line)) mappings.push_back(std::move(*mapping));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return mappings;
}

}  // namespace ringside::proc
