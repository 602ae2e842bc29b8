#include "guest/kinds.h"

#include <algorithm>
#include <map>
#include <variant>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/text.h"

namespace ringside::guest {

namespace {

using Member = std::variant<std::string Kind::*, std::vector<std::string> Kind::*, int Kind::*,
                            std::optional<int> Kind::*, bool Kind::*>;

const std::map<std::string_view, Member>& members() {
    static const std::map<std::string_view, Member> table{
        {"about", &Kind::about},
        {"arch", &Kind::arch},
        {"qemu", &Kind::qemu},
        {"machine", &Kind::machine},
        {"cpu", &Kind::cpu},
        {"smp", &Kind::smp},
        {"memory_mb", &Kind::memory_mb},
        {"console", &Kind::console},
        {"kernel_packages", &Kind::kernel_packages},
        {"tool_packages", &Kind::tool_packages},
        {"programs", &Kind::programs},
        {"vmm_packages", &Kind::vmm_packages},
        {"vmm_programs", &Kind::vmm_programs},
        {"vmm_files", &Kind::vmm_files},
        {"modules", &Kind::modules},
        {"append", &Kind::append},
        {"icount", &Kind::icount},
        {"inner", &Kind::inner},
        {"on_hypervisor", &Kind::on_hypervisor},
        {"soft_pmu", &Kind::soft_pmu},
    };
    return table;
}

// Puts `value` into one member of a kind; false when it does not fit.
struct Setter {
    Kind& kind;
    std::string_view value;

    bool operator()(std::string Kind::*member) const {
        kind.*member = value;
        return true;
    }
    bool operator()(std::vector<std::string> Kind::*member) const {
        const auto words = base::split_words(value);
        (kind.*member).assign(words.begin(), words.end());
        return true;
    }
    bool operator()(bool Kind::*member) const {
        kind.*member = value == "yes";
        return value == "yes" || value == "no";
    }
    bool operator()(int Kind::*member) const {
        const auto number = base::parse_u64(value);
        if (!number || *number == 0 || *number > 1u << 20) return false;
        kind.*member = static_cast<int>(*number);
        return true;
    }
    bool operator()(std::optional<int> Kind::*member) const {
        const auto number = base::parse_u64(value);
        if (!number || *number > 10) return false;
        kind.*member = static_cast<int>(*number);
        return true;
    }
};

bool set_member(Kind& kind, std::string_view line) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return false;
    const auto member = members().find(base::trim(line.substr(0, equals)));
    if (member == members().end()) return false;
    return std::visit(Setter{kind, base::trim(line.substr(equals + 1))}, member->second);
}

}  // namespace

Result<void> add_nic(Kind& kind, std::string_view model) {
    const auto table = base::embedded_file("guest/nics.csv");
    RINGSIDE_ASSERT(table.has_value());
    std::string known;
    for (const auto& row : base::parse_csv(*table)) {
        RINGSIDE_ASSERT(row.size() == 2);
        if (row[0] == "model") continue;
        known += " " + row[0];
        if (row[0] != model) continue;
        kind.nic = model;
        kind.modules.push_back(row[1]);
        return {};
    }
    return base::fail(ErrorCode::bad_input, fmt::format("no network interface {}", model),
                      "there are:" + known);
}

Result<KindTable> KindTable::parse(std::string_view text) {
    KindTable table;
    int number = 0;
    for (const auto whole_line : base::split_lines(text)) {
        ++number;
        const auto line = base::trim(whole_line);
        if (line.empty() || line.front() == '#') continue;
        if (line.front() == '[' && line.back() == ']' && line.size() > 2) {
            table.kinds_.emplace_back().name = line.substr(1, line.size() - 2);
        } else if (table.kinds_.empty() || !set_member(table.kinds_.back(), line)) {
            return base::fail(ErrorCode::bad_input,
                              fmt::format("line {} of the kinds is wrong: {}", number, line));
        }
    }
    for (const auto& kind : table.kinds_) {
        if (!kind.inner.empty() && table.find(kind.inner) == nullptr) {
            return base::fail(ErrorCode::bad_input, kind.name + " has an unknown inner kind");
        }
    }
    return table;
}

const KindTable& KindTable::built_in() {
    static const KindTable table = [] {
        const auto text = base::embedded_file("testbed/kinds.conf");
        RINGSIDE_ASSERT(text.has_value());
        auto parsed = parse(*text);
        RINGSIDE_ASSERT(parsed.has_value());
        return std::move(*parsed);
    }();
    return table;
}

const Kind* KindTable::find(std::string_view name) const {
    const auto found = std::find_if(kinds_.begin(), kinds_.end(),
                                    [&](const Kind& kind) { return kind.name == name; });
    return found == kinds_.end() ? nullptr : &*found;
}

std::vector<const Kind*> KindTable::bootable() const {
    const auto is_inner = [&](const Kind& candidate) {
        return std::any_of(kinds_.begin(), kinds_.end(),
                           [&](const Kind& kind) { return kind.inner == candidate.name; });
    };
    std::vector<const Kind*> found;
    for (const auto& kind : kinds_) {
        if (!is_inner(kind)) found.push_back(&kind);
    }
    return found;
}

}  // namespace ringside::guest
