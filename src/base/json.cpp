#include "base/json.h"

#include <algorithm>

#include "base/assert.h"
#include "base/json_text.h"

namespace ringside::base {

namespace {

using Library = nlohmann::ordered_json;

struct ToLibrary {
    template <typename Scalar>
    Library operator()(const Scalar& scalar) const {
        return scalar;
    }
    Library operator()(const Json::Array& elements) const {
        Library json = Library::array();
        for (const Json& each : elements) json.push_back(std::visit(*this, each.value()));
        return json;
    }
    // No name is in an object twice: members need not be looked up, as the library's [] would.
    Library operator()(const Json::Object& members) const {
        Library json = Library::object();
        auto& object = json.get_ref<Library::object_t&>();
        object.reserve(members.size());
        for (const auto& [key, value] : members)
            object.Container::emplace_back(key, std::visit(*this, value.value()));
        return json;
    }
};

Json::Member* find(Json::Object& members, std::string_view key) {
    const auto found =
        std::find_if(members.begin(), members.end(),
                     [&](const Json::Member& member) { return member.first == key; });
    return found == members.end() ? nullptr : &*found;
}

}  // namespace

Json::Json(std::initializer_list<Member> members) : value_(Object(members)) {}

Json& Json::operator[](std::string_view key) {
    if (is_null()) value_ = Object();
    auto* members = std::get_if<Object>(&value_);
    RINGSIDE_ASSERT(members != nullptr);
    if (Member* const member = find(*members, key)) return member->second;
    return members->emplace_back(key, nullptr).second;
}

void Json::push_back(Json element) {
    if (is_null()) value_ = Array();
    auto* elements = std::get_if<Array>(&value_);
    RINGSIDE_ASSERT(elements != nullptr);
    elements->push_back(std::move(element));
}

void Json::update(const Json& object) {
    const auto* members = std::get_if<Object>(&object.value_);
    RINGSIDE_ASSERT(members != nullptr);
    for (const auto& [key, value] : *members) (*this)[key] = value;
}

std::string Json::text(int indent) const {
    return json_text(std::visit(ToLibrary(), value_), indent);
}

}  // namespace ringside::base
