// One step from a frame to its caller, and the stack machine of DWARF expressions that a few frames
// need: those of procedure linkage tables and signal trampolines.
#include "symbols/unwind_table.h"

namespace ringside::symbols {

namespace {

// Operations (DWARF 5, section 7.7.1).
enum Operation : std::uint8_t {
    op_addr = 0x03,
    op_deref = 0x06,
    op_const1u = 0x08,
    op_const1s = 0x09,
    op_const2u = 0x0a,
    op_const2s = 0x0b,
    op_const4u = 0x0c,
    op_const4s = 0x0d,
    op_const8u = 0x0e,
    op_const8s = 0x0f,
    op_constu = 0x10,
    op_consts = 0x11,
    op_dup = 0x12,
    op_drop = 0x13,
    op_over = 0x14,
    op_pick = 0x15,
    op_swap = 0x16,
    op_and = 0x1a,
    op_minus = 0x1c,
    op_mul = 0x1e,
    op_neg = 0x1f,
    op_not = 0x20,
    op_or = 0x21,
    op_plus = 0x22,
    op_plus_uconst = 0x23,
    op_shl = 0x24,
    op_shr = 0x25,
    op_shra = 0x26,
    op_xor = 0x27,
    op_eq = 0x29,
    op_ge = 0x2a,
    op_gt = 0x2b,
    op_le = 0x2c,
    op_lt = 0x2d,
    op_ne = 0x2e,
    op_lit0 = 0x30,
    op_lit31 = 0x4f,
    op_breg0 = 0x70,
    op_breg31 = 0x8f,
    op_bregx = 0x92,
    op_nop = 0x96,
};

class Machine {
  public:
    Machine(const RegisterSet& registers, const ReadMemory& read)
        : registers_(registers), read_(read) {}

    // There are no jumps among the operations taken here: it ends when the expression does.
    std::optional<std::uint64_t> run(DwarfBytes expression, std::optional<std::uint64_t> initial) {
        if (initial) stack_.push_back(*initial);
        DwarfCursor cursor(expression, 0, base::ByteOrder::same);
        while (cursor.remaining() > 0)
            if (!operation(cursor) || !cursor.ok() || stack_.size() > deepest) return std::nullopt;
        if (stack_.empty()) return std::nullopt;
        return stack_.back();
    }

  private:
    bool push(std::uint64_t value) {
        stack_.push_back(value);
        return true;
    }
    template <typename Signed, typename Unsigned>
    static std::uint64_t extended(Unsigned value) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<Signed>(value)});
    }

    bool operation(DwarfCursor& cursor) {
        const std::uint8_t code = cursor.u8();
        if (code >= op_lit0 && code <= op_lit31) return push(code - op_lit0);
        if (code >= op_breg0 && code <= op_breg31) return based(code - op_breg0, cursor.sleb());
        switch (code) {
            case op_addr:
            case op_const8u:
            case op_const8s:
                return push(cursor.u64());
            case op_const1u:
                return push(cursor.u8());
            case op_const1s:
                return push(extended<std::int8_t>(cursor.u8()));
            case op_const2u:
                return push(cursor.u16());
            case op_const2s:
                return push(extended<std::int16_t>(cursor.u16()));
            case op_const4u:
                return push(cursor.u32());
            case op_const4s:
                return push(extended<std::int32_t>(cursor.u32()));
            case op_constu:
                return push(cursor.uleb());
            case op_consts:
                return push(static_cast<std::uint64_t>(cursor.sleb()));
            case op_bregx: {
                const std::uint64_t number = cursor.uleb();
                return based(number, cursor.sleb());
            }
            case op_pick:
                return pick(cursor.u8());
            case op_dup:
                return pick(0);
            case op_over:
                return pick(1);
            case op_nop:
                return true;
            default:
                return !stack_.empty() && on_one(code, cursor);
        }
    }

    bool based(std::uint64_t number, std::int64_t offset) {
        if (number >= unwind_registers || !registers_.has(number)) return false;
        return push(registers_.value[number] + static_cast<std::uint64_t>(offset));
    }
    bool pick(std::size_t depth) {
        if (depth >= stack_.size()) return false;
        return push(stack_[stack_.size() - 1 - depth]);
    }

    bool on_one(std::uint8_t code, DwarfCursor& cursor) {
        std::uint64_t& top = stack_.back();
        switch (code) {
            case op_deref: {
                const auto value = read_(top);
                if (value) top = *value;
                return value.has_value();
            }
            case op_drop:
                stack_.pop_back();
                return true;
            case op_neg:
                top = ~top + 1;
                return true;
            case op_not:
                top = ~top;
                return true;
            case op_plus_uconst:
                top += cursor.uleb();
                return true;
            default:
                return stack_.size() >= 2 && on_two(code);
        }
    }

    bool on_two(std::uint8_t code) {
        const std::uint64_t right = stack_.back();
        stack_.pop_back();
        std::uint64_t& left = stack_.back();
        const auto signed_left = static_cast<std::int64_t>(left);
        const auto signed_right = static_cast<std::int64_t>(right);
        const bool shifts_out = right >= 64;
        switch (code) {
            case op_swap: {
                const std::uint64_t kept = left;
                left = right;
                return push(kept);
            }
            case op_and:
                left &= right;
                return true;
            case op_or:
                left |= right;
                return true;
            case op_xor:
                left ^= right;
                return true;
            case op_plus:
                left += right;
                return true;
            case op_minus:
                left -= right;
                return true;
            case op_mul:
                left *= right;
                return true;
            case op_shl:
                left = shifts_out ? 0 : left << right;
                return true;
            case op_shr:
                left = shifts_out ? 0 : left >> right;
                return true;
            case op_shra:
                left = static_cast<std::uint64_t>(signed_left >> (shifts_out ? 63 : right));
                return true;
            case op_eq:
                left = left == right ? 1 : 0;
                return true;
            case op_ne:
                left = left != right ? 1 : 0;
                return true;
            case op_ge:
                left = signed_left >= signed_right ? 1 : 0;
                return true;
            case op_gt:
                left = signed_left > signed_right ? 1 : 0;
                return true;
            case op_le:
                left = signed_left <= signed_right ? 1 : 0;
                return true;
            case op_lt:
                left = signed_left < signed_right ? 1 : 0;
                return true;
            default:
                return false;
        }
    }

    static constexpr std::size_t deepest = 256;

    const RegisterSet& registers_;
    const ReadMemory& read_;
    std::vector<std::uint64_t> stack_;
};

std::optional<std::uint64_t> frame_address(const UnwindRow& row, const RegisterSet& registers,
                                           const ReadMemory& read) {
    if (!row.cfa_expression.empty())
        return Machine(registers, read).run(row.cfa_expression, std::nullopt);
    if (row.cfa_register >= unwind_registers || !registers.has(row.cfa_register))
        return std::nullopt;
    return registers.value[row.cfa_register] + static_cast<std::uint64_t>(row.cfa_offset);
}

std::optional<std::uint64_t> restored(std::size_t number, const UnwindRule& rule, std::uint64_t cfa,
                                      const RegisterSet& registers, const ReadMemory& read) {
    using Kind = UnwindRule::Kind;
    const std::uint64_t at_offset = cfa + static_cast<std::uint64_t>(rule.number);
    switch (rule.kind) {
        case Kind::same:
            return registers.has(number) ? std::optional(registers.value[number]) : std::nullopt;
        case Kind::undefined:
            return std::nullopt;
        case Kind::at_offset:
            return read(at_offset);
        case Kind::is_offset:
            return at_offset;
        case Kind::in_register: {
            const auto other = static_cast<std::uint64_t>(rule.number);
            if (other >= unwind_registers || !registers.has(other)) return std::nullopt;
            return registers.value[other];
        }
        case Kind::at_expression: {
            const auto address = Machine(registers, read).run(rule.expression, cfa);
            return address ? read(*address) : std::nullopt;
        }
        case Kind::is_expression:
            return Machine(registers, read).run(rule.expression, cfa);
    }
    return std::nullopt;
}

}  // namespace

std::optional<RegisterSet> unwind_step(const UnwindRow& row, const RegisterSet& registers,
                                       std::size_t stack_register, std::size_t program_counter,
                                       const ReadMemory& read) {
    const auto cfa = frame_address(row, registers, read);
    if (!cfa) return std::nullopt;
    RegisterSet caller;
    // Registers behind the program counter are none that a call preserves.
    for (std::size_t i = 0; i <= program_counter; ++i)
        if (const auto value = restored(i, row.rules[i], *cfa, registers, read))
            caller.set(i, *value);
    if (row.rules[stack_register].kind == UnwindRule::Kind::same) caller.set(stack_register, *cfa);
    // A return address that nothing restores was never there: this frame is the outermost.
    if (!caller.has(row.return_register)) return std::nullopt;
    std::uint64_t address = caller.value[row.return_register];
    constexpr std::uint64_t user_address_bits = 48;
    if (row.signed_return) address &= (std::uint64_t{1} << user_address_bits) - 1;
    caller.set(program_counter, address);
    return caller;
}

}  // namespace ringside::symbols
