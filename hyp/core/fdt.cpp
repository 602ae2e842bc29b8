#include "hyp/core/fdt.h"

namespace ringside::hyp {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint32_t magic = 0xd00dfeed;
constexpr std::size_t header_bytes = 40;
enum Token : std::uint32_t { begin_node = 1, end_node = 2, property = 3, nop = 4, end = 9 };

std::uint32_t load32(Bytes bytes, std::size_t at) {
    if (at + 4 > bytes.size()) return 0;
    return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
           std::uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}
std::uint64_t load64(Bytes bytes, std::size_t at) {
    return std::uint64_t{load32(bytes, at)} << 32 | load32(bytes, at + 4);
}

std::string_view text_at(Bytes bytes, std::size_t at) {
    std::size_t length = 0;
    while (at + length < bytes.size() && bytes[at + length] != 0) ++length;
    if (at + length >= bytes.size()) return {};
    return {reinterpret_cast<const char*>(bytes.data()) + at, length};
}

constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + 3) & ~std::size_t{3};
}

struct Blocks {
    Bytes structure;
    Bytes strings;
    Bytes reservations;
    bool good = false;
};

Blocks blocks_of(Bytes blob) {
    if (blob.size() < header_bytes || load32(blob, 0) != magic) return {};
    const std::size_t total = load32(blob, 4);
    if (total > blob.size()) return {};
    blob = blob.first(total);
    const std::size_t structure = load32(blob, 8);
    const std::size_t strings = load32(blob, 12);
    const std::size_t reservations = load32(blob, 16);
    const std::size_t strings_bytes = load32(blob, 32);
    const std::size_t structure_bytes = load32(blob, 36);
    if (structure > total || structure_bytes > total - structure) return {};
    if (strings > total || strings_bytes > total - strings) return {};
    std::size_t end_of_list = reservations;
    while (end_of_list + 16 <= total &&
           (load64(blob, end_of_list) | load64(blob, end_of_list + 8)) != 0) {
        end_of_list += 16;
    }
    if (end_of_list + 16 > total) return {};
    return {blob.subspan(structure, structure_bytes), blob.subspan(strings, strings_bytes),
            blob.subspan(reservations, end_of_list + 16 - reservations), true};
}

// One token of the structure block after the other.
struct Item {
    std::uint32_t token = end;
    std::string_view name;
    Bytes value;
    Bytes whole;         // as it stands in the block
    unsigned depth = 0;  // of the node it belongs to or is; the root has 1
};

class Reader {
  public:
    explicit Reader(const Blocks& blocks) : blocks_(blocks) {}

    // False at the end, and where the block is damaged; is_complete() tells which.
    bool next(Item& item) {
        const Bytes rest = blocks_.structure.subspan(at_);
        if (rest.size() < 4) return false;
        item = Item{};
        item.token = load32(rest, 0);
        std::size_t bytes = 4;
        if (item.token == begin_node) {
            item.name = text_at(rest, 4);
            bytes += padded(item.name.size() + 1);
            ++depth_;
        } else if (item.token == property) {
            const std::size_t length = load32(rest, 4);
            if (rest.size() < 12 || length > rest.size() - 12) return false;
            item.name = text_at(blocks_.strings, load32(rest, 8));
            item.value = rest.subspan(12, length);
            bytes = 12 + padded(length);
        } else if (item.token == end) {
            complete_ = depth_ == 0;
            return false;
        } else if (item.token != end_node && item.token != nop) {
            return false;
        }
        if (bytes > rest.size() || (item.token == end_node && depth_ == 0)) return false;
        item.depth = depth_;
        if (item.token == end_node) --depth_;
        item.whole = rest.first(bytes);
        at_ += bytes;
        return true;
    }
    bool is_complete() const { return complete_; }

  private:
    const Blocks& blocks_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
    bool complete_ = false;
};

bool is_memory(std::string_view node) {
    return node == "memory" || node.starts_with("memory@");
}

// Appends to a buffer, and remembers when it was too small.
class Writer {
  public:
    explicit Writer(std::span<std::uint8_t> out) : out_(out) {}

    void add(Bytes bytes) {
        if (bytes.size() > out_.size() - at_) {
            full_ = true;
            return;
        }
        for (const std::uint8_t byte : bytes) out_[at_++] = byte;
    }
    void add32(std::uint32_t value) {
        const std::uint8_t bytes[] = {std::uint8_t(value >> 24), std::uint8_t(value >> 16),
                                      std::uint8_t(value >> 8), std::uint8_t(value)};
        add(bytes);
    }
    void add64(std::uint64_t value) {
        add32(static_cast<std::uint32_t>(value >> 32));
        add32(static_cast<std::uint32_t>(value));
    }
    void add_text(std::string_view text) {
        add({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
        constexpr std::uint8_t zero[1] = {};
        add(zero);
    }
    void align() {
        constexpr std::uint8_t zero[4] = {};
        add(Bytes(zero).first(padded(at_) - at_));
    }
    void put32(std::size_t at, std::uint32_t value) {
        Writer there(out_.subspan(at, 4));
        there.add32(value);
    }
    std::size_t size() const { return at_; }
    bool is_full() const { return full_; }

  private:
    std::span<std::uint8_t> out_;
    std::size_t at_ = 0;
    bool full_ = false;
};

// The names of properties that we write.
constexpr std::string_view our_names[] = {"bootargs",   "linux,initrd-start", "linux,initrd-end",
                                          "compatible", "ringside,vpmu",      "interrupts"};
enum OurName { bootargs, initrd_start, initrd_end, compatible, vpmu_policy, interrupts };
constexpr unsigned chosen_names = 3;  // the first of them stand in /chosen

bool is_ours(std::string_view name) {
    for (const std::string_view chosen : std::span(our_names).first(chosen_names)) {
        if (name == chosen) return true;
    }
    return false;
}

// New names go behind the old string block.
std::uint32_t name_offset(const Blocks& blocks, unsigned index) {
    std::size_t offset = blocks.strings.size();
    for (unsigned i = 0; i < index; ++i) offset += our_names[i].size() + 1;
    return static_cast<std::uint32_t>(offset);
}

void add_property(Writer& out, std::uint32_t name, std::size_t bytes) {
    out.add32(property);
    out.add32(static_cast<std::uint32_t>(bytes));
    out.add32(name);
}

void add_text_property(Writer& out, std::uint32_t name, std::string_view text) {
    add_property(out, name, text.size() + 1);
    out.add_text(text);
    out.align();
}

void add_chosen(Writer& out, const Blocks& blocks, const GuestTree& tree) {
    add_text_property(out, name_offset(blocks, bootargs), tree.arguments);
    if (tree.initrd.is_empty()) return;
    add_property(out, name_offset(blocks, initrd_start), 8);
    out.add64(tree.initrd.begin);
    add_property(out, name_offset(blocks, initrd_end), 8);
    out.add64(tree.initrd.end);
}

// Who we are, where hypervisors say it.
void add_hypervisor(Writer& out, const Blocks& blocks, const GuestTree& tree) {
    out.add32(begin_node);
    out.add_text("hypervisor");
    out.align();
    add_text_property(out, name_offset(blocks, compatible), "ringside,hyp");
    add_text_property(out, name_offset(blocks, vpmu_policy), tree.policy);
    if (tree.interrupt != 0) {
        // Arm GIC: private, counted from 16, level-sensitive.
        add_property(out, name_offset(blocks, interrupts), 12);
        for (const std::uint32_t cell : {1u, tree.interrupt - 16, 4u}) out.add32(cell);
    }
    out.add32(end_node);
}

bool copy_structure(Writer& out, const Blocks& blocks, const GuestTree& tree) {
    Reader reader(blocks);
    Item item;
    std::string_view node;
    while (reader.next(item)) {
        if (item.token == begin_node) node = item.depth == 2 ? item.name : std::string_view{};
        const bool in_chosen = item.depth == 2 && node == "chosen";
        const bool in_memory = item.depth == 2 && is_memory(node);
        if (item.token == property && in_chosen && is_ours(item.name)) continue;
        if (item.token == property && in_memory && item.name == "reg") {
            out.add(item.whole.first(4));
            out.add32(16);
            out.add(item.whole.subspan(8, 4));
            out.add64(tree.memory.begin);
            out.add64(tree.memory.bytes());
            continue;
        }
        if (item.token == end_node && item.depth == 1) add_hypervisor(out, blocks, tree);
        out.add(item.whole);
        if (item.token == begin_node && in_chosen) add_chosen(out, blocks, tree);
    }
    out.add32(end);
    return reader.is_complete();
}

}  // namespace

Range find_memory(std::span<const std::uint8_t> blob) {
    const Blocks blocks = blocks_of(blob);
    if (!blocks.good) return {};
    Reader reader(blocks);
    Item item;
    bool in_memory = false;
    while (reader.next(item)) {
        if (item.token == begin_node) in_memory = item.depth == 2 && is_memory(item.name);
        if (!in_memory || item.token != property || item.name != "reg") continue;
        if (item.value.size() < 16) return {};
        return range_of(load64(item.value, 0), load64(item.value, 8));
    }
    return {};
}

std::size_t write_guest_tree(std::span<const std::uint8_t> source, const GuestTree& tree,
                             std::span<std::uint8_t> out) {
    const Blocks blocks = blocks_of(source);
    if (!blocks.good || out.size() < header_bytes) return 0;
    Writer writer(out);
    writer.add(source.first(header_bytes));
    writer.put32(16, static_cast<std::uint32_t>(writer.size()));
    writer.add(blocks.reservations);
    const std::size_t structure = writer.size();
    if (!copy_structure(writer, blocks, tree)) return 0;
    const std::size_t strings = writer.size();
    writer.add(blocks.strings);
    for (const std::string_view name : our_names) writer.add_text(name);
    const std::size_t strings_end = writer.size();
    writer.align();
    if (writer.is_full()) return 0;
    writer.put32(4, static_cast<std::uint32_t>(writer.size()));
    writer.put32(8, static_cast<std::uint32_t>(structure));
    writer.put32(12, static_cast<std::uint32_t>(strings));
    writer.put32(32, static_cast<std::uint32_t>(strings_end - strings));
    writer.put32(36, static_cast<std::uint32_t>(strings - structure));
    return writer.size();
}

}  // namespace ringside::hyp
