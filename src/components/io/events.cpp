#include "components/io/events.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"

namespace ringside::components::io {

namespace {

using Row = std::vector<std::string>;

// name,op,value,unit,description
std::vector<Row> rows() {
    const auto text = base::embedded_file("io/events.csv");
    RINGSIDE_ASSERT(text);
    auto all = base::parse_csv(*text);
    all.erase(all.begin());
    return all;
}

struct NamedOp {
    std::string_view name;
    io_op op;
};
constexpr NamedOp ops[] = {
    {"read", IO_READ},           {"write", IO_WRITE},
    {"recv", IO_RECV},           {"send", IO_SEND},
    {"open", IO_OPEN},           {"close", IO_CLOSE},
    {"seek", IO_SEEK},           {"select", IO_SELECT},
    {"sock_read", IO_SOCK_READ}, {"sock_write", IO_SOCK_WRITE},
};

struct NamedField {
    std::string_view name;
    std::size_t offset;
};
constexpr NamedField fields[] = {
    {"calls", offsetof(io_op_counts, calls)},
    {"bytes", offsetof(io_op_counts, bytes)},
    {"errors", offsetof(io_op_counts, errors)},
    {"interrupted", offsetof(io_op_counts, interrupted)},
    {"would_block", offsetof(io_op_counts, would_block)},
    {"short_calls", offsetof(io_op_counts, short_calls)},
    {"ends", offsetof(io_op_counts, ends)},
    {"timed", offsetof(io_op_counts, timed)},
};

io_op op_named(std::string_view name) {
    const auto* found = std::find_if(std::begin(ops), std::end(ops),
                                     [&](const NamedOp& op) { return op.name == name; });
    RINGSIDE_ASSERT(found != std::end(ops));
    return found->op;
}

WordIndex word(io_op op, std::size_t offset) {
    return (offsetof(io_counts, ops) + op * sizeof(io_op_counts) + offset) / sizeof(io_word);
}

std::vector<WordIndex> histogram_words(io_op op) {
    std::vector<WordIndex> words(IO_BUCKETS);
    std::iota(words.begin(), words.end(),
              offsetof(io_counts, histograms) / sizeof(io_word) + WordIndex{op} * IO_BUCKETS);
    return words;
}

// A bucket's middle.
double ticks_of(std::size_t bucket) {
    constexpr std::size_t in_power = 1u << IO_SUB_BITS;
    if (bucket < in_power) return static_cast<double>(bucket);
    const auto power = static_cast<int>(bucket / in_power) - 1;
    const auto part = static_cast<double>(bucket % in_power);
    return std::ldexp(static_cast<double>(in_power) + part + 0.5, power);
}

}  // namespace

std::vector<session::ComponentEvent> all_events() {
    std::vector<session::ComponentEvent> events;
    for (const Row& row : rows()) {
        const bool level =
            row[2].starts_with("mean_") || row[2].starts_with("p") || row[2] == "still_open";
        events.push_back({row[0], row[4], row[3], level, events.size()});
    }
    return events;
}

Formula::Formula(const session::ComponentEvent& event) {
    const Row row = rows().at(event.id);
    const io_op op = op_named(row[1]);
    const std::string& value = row[2];
    const auto of_op = [&](std::size_t offset) { return word(op, offset); };
    if (value == "mean_size") {
        kind_ = Kind::mean;
        words_ = {of_op(offsetof(io_op_counts, asked_bytes)), of_op(offsetof(io_op_counts, calls))};
    } else if (value == "mean_stride") {
        kind_ = Kind::mean;
        words_ = {of_op(offsetof(io_op_counts, bytes)), of_op(offsetof(io_op_counts, calls))};
    } else if (value == "still_open") {
        kind_ = Kind::still_open;
        for (const io_op part : {IO_OPEN, IO_CLOSE}) {
            words_.push_back(word(part, offsetof(io_op_counts, calls)));
            words_.push_back(word(part, offsetof(io_op_counts, errors)));
        }
    } else if (value == "usec" || value == "nsec") {
        kind_ = value == "usec" ? Kind::microseconds : Kind::nanoseconds;
        words_ = {of_op(offsetof(io_op_counts, ticks))};
    } else if (value == "p50" || value == "p99") {
        kind_ = Kind::percentile;
        percentile_ = value == "p50" ? 50 : 99;
        words_ = histogram_words(op);
    } else {
        const auto* field = std::find_if(std::begin(fields), std::end(fields),
                                         [&](const NamedField& f) { return f.name == value; });
        RINGSIDE_ASSERT(field != std::end(fields));
        words_ = {of_op(field->offset)};
    }
}

bool Formula::needs_time() const {
    return kind_ == Kind::microseconds || kind_ == Kind::nanoseconds || kind_ == Kind::percentile;
}

std::int64_t Formula::value(std::span<const io_word> gained, double ns_per_tick) const {
    const auto number = [&](std::size_t i) { return static_cast<std::int64_t>(gained[i]); };
    switch (kind_) {
        case Kind::count:
            return number(0);
        case Kind::mean:
            return gained[1] == 0 ? 0 : number(0) / number(1);
        case Kind::still_open:
            return std::max<std::int64_t>(0, number(0) - number(1) - number(2) + number(3));
        case Kind::microseconds:
            return std::llround(static_cast<double>(gained[0]) * ns_per_tick / 1000);
        case Kind::nanoseconds:
            return std::llround(static_cast<double>(gained[0]) * ns_per_tick);
        case Kind::percentile:
            return std::llround(percentile(gained, percentile_) * ns_per_tick);
    }
    return 0;
}

double percentile(std::span<const io_word> histogram, double percent) {
    const auto total = std::accumulate(histogram.begin(), histogram.end(), io_word{0});
    if (total == 0) return 0;
    const auto wanted = static_cast<io_word>(std::ceil(static_cast<double>(total) * percent / 100));
    io_word seen = 0;
    for (std::size_t bucket = 0; bucket < histogram.size(); ++bucket) {
        seen += histogram[bucket];
        if (seen >= wanted) return ticks_of(bucket);
    }
    return ticks_of(histogram.size() - 1);
}

}  // namespace ringside::components::io
