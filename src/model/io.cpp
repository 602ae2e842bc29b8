#include "model/io.h"

#include <algorithm>

namespace ringside::model {

namespace {

// Both kinds of counts are made of words only. Whoever counts may still be doing so.
template <typename Counts>
void add_words(Counts& sum, const Counts& more) {
    auto* to = reinterpret_cast<io_word*>(&sum);
    const auto* from = reinterpret_cast<const io_word*>(&more);
    for (std::size_t i = 0; i < sizeof sum / sizeof *to; ++i) {
        to[i] += __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    }
}

template <typename Counts>
bool no_word_set(const Counts& counts) {
    const auto* words = reinterpret_cast<const io_word*>(&counts);
    return std::all_of(words, words + sizeof counts / sizeof *words, [](const io_word& word) {
        return __atomic_load_n(&word, __ATOMIC_RELAXED) == 0;
    });
}

}  // namespace

void add(io_counts& sum, const io_counts& more) {
    add_words(sum, more);
}

void add(io_file_counts& sum, const io_file_counts& more) {
    add_words(sum, more);
}

bool is_empty(const io_counts& counts) {
    return no_word_set(counts);
}

bool is_empty(const io_file_counts& counts) {
    return no_word_set(counts);
}

}  // namespace ringside::model
