// Writes perf.data files of a test's own making, byte by byte, in either byte order.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <linux/perf_event.h>

#include "base/field_cursor.h"

namespace ringside::builders {

class Bytes {
  public:
    explicit Bytes(base::ByteOrder order = base::ByteOrder::same) : order_(order) {}

    template <typename T>
    Bytes& add(T value) {
        if (order_ == base::ByteOrder::swapped) value = base::swap_bytes(value);
        const auto* at = reinterpret_cast<const char*>(&value);
        text_.append(at, sizeof value);
        return *this;
    }
    Bytes& u64(std::uint64_t value) { return add(value); }
    Bytes& u32(std::uint32_t value) { return add(value); }
    Bytes& u16(std::uint16_t value) { return add(value); }
    Bytes& raw(const std::string& bytes) {
        text_ += bytes;
        return *this;
    }
    // With its NUL, filled up to whole words.
    Bytes& name(const std::string& text) {
        text_ += text;
        text_.append(8 - text.size() % 8, '\0');
        return *this;
    }
    const std::string& text() const { return text_; }
    std::size_t size() const { return text_.size(); }

  private:
    base::ByteOrder order_;
    std::string text_;
};

// One event, sampled with IP, TID, TIME, PERIOD and, if asked for, CALLCHAIN.
class DataBuilder {
  public:
    explicit DataBuilder(base::ByteOrder order = base::ByteOrder::same, bool chains = false)
        : order_(order), chains_(chains), records_(order) {}

    std::uint64_t sample_type() const {
        return PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
               (chains_ ? std::uint64_t{PERF_SAMPLE_CALLCHAIN} : 0);
    }

    DataBuilder& record(std::uint32_t type, std::uint16_t misc, const std::string& body) {
        records_.u32(type).u16(misc).u16(static_cast<std::uint16_t>(body.size() + 8)).raw(body);
        return *this;
    }
    DataBuilder& map(std::uint32_t pid, std::uint64_t time, std::uint64_t start, std::uint64_t size,
                     std::uint64_t offset, const std::string& file,
                     std::uint16_t misc = PERF_RECORD_MISC_USER) {
        Bytes body(order_);
        body.u32(pid).u32(pid).u64(start).u64(size).u64(offset).name(file);
        return record(PERF_RECORD_MMAP, misc, body.text() + id(pid, pid, time));
    }
    DataBuilder& comm(std::uint32_t pid, std::uint32_t tid, std::uint64_t time,
                      const std::string& text, bool exec = false) {
        Bytes body(order_);
        body.u32(pid).u32(tid).name(text);
        return record(PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
                      body.text() + id(pid, tid, time));
    }
    DataBuilder& fork(std::uint32_t pid, std::uint32_t parent, std::uint64_t time) {
        Bytes body(order_);
        body.u32(pid).u32(parent).u32(pid).u32(parent).u64(time);
        return record(PERF_RECORD_FORK, 0, body.text() + id(pid, pid, time));
    }
    DataBuilder& lost(std::uint64_t count, std::uint64_t time) {
        Bytes body(order_);
        body.u64(0).u64(count);
        return record(PERF_RECORD_LOST, 0, body.text() + id(0, 0, time));
    }
    DataBuilder& sample(std::uint32_t pid, std::uint64_t time, std::uint64_t ip,
                        std::uint64_t period = 1, std::uint16_t misc = PERF_RECORD_MISC_USER,
                        const std::vector<std::uint64_t>& chain = {}) {
        Bytes body(order_);
        body.u64(ip).u32(pid).u32(pid).u64(time).u64(period);
        if (chains_) {
            body.u64(chain.size());
            for (const auto address : chain) body.u64(address);
        }
        return record(PERF_RECORD_SAMPLE, misc, body.text());
    }

    std::string file() const {
        constexpr std::uint64_t header = 104;
        const std::string attribute = attributes();
        const std::uint64_t entry = attribute.size() + 16;
        Bytes file(order_);
        file.raw(order_ == base::ByteOrder::same ? "PERFILE2" : "2ELIFREP");
        file.u64(header).u64(entry).u64(header).u64(entry);
        file.u64(header + entry).u64(records_.size()).u64(0).u64(0);
        for (int i = 0; i < 4; ++i) file.u64(0);
        file.raw(attribute).u64(0).u64(0).raw(records_.text());
        return file.text();
    }
    std::string pipe() const {
        Bytes file(order_);
        file.raw(order_ == base::ByteOrder::same ? "PERFILE2" : "2ELIFREP").u64(16);
        const std::string attribute = attributes();
        file.u32(64).u16(0).u16(static_cast<std::uint16_t>(attribute.size() + 8)).raw(attribute);
        return file.text() + records_.text();
    }
    static std::string write(const std::string& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    const std::string& records() const { return records_.text(); }

  private:
    std::string id(std::uint32_t pid, std::uint32_t tid, std::uint64_t time) const {
        Bytes body(order_);
        return body.u32(pid).u32(tid).u64(time).text();
    }
    std::string attributes() const {
        Bytes body(order_);
        body.u32(PERF_TYPE_SOFTWARE).u32(128).u64(PERF_COUNT_SW_CPU_CLOCK).u64(1);
        body.u64(sample_type()).u64(0);
        // sample_id_all is bit 18 of the flags, counted from the low end of each byte here.
        std::string flags(8, '\0');
        flags[2] = order_ == base::ByteOrder::same ? 0x04 : 0x20;
        body.raw(flags);
        return body.text() + std::string(128 - body.size(), '\0');
    }

    base::ByteOrder order_;
    bool chains_;
    Bytes records_;
};

}  // namespace ringside::builders
