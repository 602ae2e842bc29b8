#include "perf/data_context.h"

#include "base/byte_writer.h"

namespace ringside::perf {

namespace {

// "RINGSIDE" as a number.
constexpr std::uint64_t context_magic = 0x45444953474e4952;
constexpr std::size_t head_bytes = context_rest_at + 2 * sizeof(std::uint64_t);

}  // namespace

std::optional<std::string_view> find_item(const Context& context, std::string_view name) {
    for (const auto& item : context)
        if (item.name == name) return item.value;
    return std::nullopt;
}

// Each item: the lengths of name and value, then both; at the end filled up to a whole word.
std::vector<std::byte> encode_context(const Context& context) {
    base::ByteWriter out;
    for (const auto& item : context) {
        out.u64(item.name.size()).u64(item.value.size());
        out.raw(item.name).raw(item.value);
        out.zeros((8 - out.size() % 8) % 8);
    }
    return std::move(out).take();
}

std::vector<std::byte> encode_context_head(const Context& context) {
    const auto items = encode_context(context);
    base::ByteWriter out;
    out.u64(context_magic).u64(head_bytes + items.size()).u64(0).u64(0).raw(items);
    return std::move(out).take();
}

std::uint64_t context_head_bytes(std::span<const std::byte> bytes, ByteOrder order) {
    FieldCursor cursor(bytes, order);
    const bool ours = cursor.u64() == context_magic;
    const std::uint64_t size = cursor.u64();
    return cursor.ok() && ours && size >= head_bytes ? size : 0;
}

std::optional<ContextHead> parse_context_head(std::span<const std::byte> bytes, ByteOrder order) {
    const std::uint64_t size = context_head_bytes(bytes, order);
    if (size == 0 || size > bytes.size()) return std::nullopt;
    FieldCursor cursor(bytes.first(static_cast<std::size_t>(size)), order);
    cursor.skip(context_rest_at);
    ContextHead head;
    head.rest_offset = cursor.u64();
    head.rest_bytes = cursor.u64();
    head.items = parse_context(cursor.take(cursor.remaining()), order);
    return head;
}

Context parse_context(std::span<const std::byte> bytes, ByteOrder order) {
    Context context;
    FieldCursor cursor(bytes, order);
    while (cursor.remaining() > 0) {
        const std::uint64_t name_bytes = cursor.u64();
        const std::uint64_t value_bytes = cursor.u64();
        const auto name = cursor.take(name_bytes);
        const auto value = cursor.take(value_bytes);
        if (!cursor.ok()) break;
        const auto text = [](std::span<const std::byte> part) {
            return std::string(reinterpret_cast<const char*>(part.data()), part.size());
        };
        context.push_back({text(name), text(value)});
        cursor.skip(
            std::min<std::uint64_t>(cursor.remaining(), (8 - (name_bytes + value_bytes) % 8) % 8));
    }
    return context;
}

}  // namespace ringside::perf
