#include "branchline/row_keys.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "branchline/thread_pool.hpp"
#include "key_kernels.hpp"
#include "mix.hpp"

namespace branchline {

namespace {

using Word = std::uint64_t;
using Words = std::vector<Word>;

constexpr std::size_t block_rows = 4096;
constexpr std::size_t columns_between_checks = 64;

Word scramble(Word word) noexcept { return mix(word + golden); }

const KeyKernels& kernels() { return key_kernels_for(best_cpu_level()); }

// The scrambled value of each 8-bit code.
const Word* words_of_bytes() {
    static const Words words = [] {
        Words made(256);
        for (std::size_t code = 0; code < made.size(); ++code) made[code] = scramble(code);
        return made;
    }();
    return words.data();
}

// Returns the codes of a column of 8-bit codes that stand for themselves; else nullptr.
const std::uint8_t* bytes_of(const RankedColumn& column) {
    if (column.codes.width != 1 || !column.ranks.empty()) return nullptr;
    return reinterpret_cast<const std::uint8_t*>(column.codes.data);
}

// Calls visit(codes) with the 16- or 32-bit codes of a column that stand for themselves; else returns
// false.
template <class Visit>
bool visit_wide(const RankedColumn& column, Visit&& visit) {
    if (column.codes.width == 1 || !column.ranks.empty()) return false;
    if (column.codes.width == 2) {
        visit(reinterpret_cast<const std::uint16_t*>(column.codes.data));
    } else {
        visit(reinterpret_cast<const std::uint32_t*>(column.codes.data));
    }
    return true;
}

Word sum_of_wide(const std::uint16_t* codes, std::size_t n_rows, const Word* keys) {
    return kernels().sum_16(codes, n_rows, keys);
}
Word sum_of_wide(const std::uint32_t* codes, std::size_t n_rows, const Word* keys) {
    return kernels().sum_32(codes, n_rows, keys);
}
void add_wide(const std::uint16_t* codes, std::size_t n_rows, Word salt, Word* keys) {
    kernels().add_16(codes, n_rows, salt, keys);
}
void add_wide(const std::uint32_t* codes, std::size_t n_rows, Word salt, Word* keys) {
    kernels().add_32(codes, n_rows, salt, keys);
}

// A column and what is known of it.
struct Column {
    RankedColumn given;
    Words words;   // the scrambled value of each code, where codes repeat often
    Words salted;  // the same, scrambled with the column's salt
    Word salt = 0;
    Word hash = 0;
    bool is_constant = true;
};

// Calls visit(value), where value(row) is the value of a row.
template <class Visitor>
void visit_values(const RankedColumn& column, Visitor&& visit) {
    visit_codes(column.codes, [&](const auto* codes) {
        if (column.ranks.empty()) {
            visit([codes](std::size_t row) { return Word{codes[row]}; });
        } else {
            const Word* ranks = column.ranks.data();
            visit([codes, ranks](std::size_t row) { return ranks[codes[row]]; });
        }
    });
}

// Calls visit(word), where word(row) is the scrambled value of a row.
template <class Visitor>
void visit_words(const Column& column, Visitor&& visit) {
    if (column.words.empty()) {
        visit_values(column.given, [&](auto value) {
            visit([value](std::size_t row) { return scramble(value(row)); });
        });
        return;
    }
    visit_codes(column.given.codes, [&](const auto* codes) {
        const Word* words = column.words.data();
        visit([codes, words](std::size_t row) { return words[codes[row]]; });
    });
}

std::size_t largest_code(const CodeColumn& column, std::size_t n_rows) {
    return visit_codes(column, [&](const auto* codes) {
        return static_cast<std::size_t>(*std::max_element(codes, codes + n_rows));
    });
}

// Looks up words by code only where a code stands for four rows on average: else a table costs more
// than it saves.
void make_words(Column& column, std::size_t n_codes, std::size_t n_rows) {
    if (4 * n_codes > n_rows) return;
    column.words.resize(n_codes);
    for (std::size_t code = 0; code < n_codes; ++code) {
        column.words[code] = scramble(column.given.ranks.empty() ? code : column.given.ranks[code]);
    }
}

// `place_words` are random words, one a row: columns of one hash are equal, or nearly never.
Column look_at(const RankedColumn& given, const Words& place_words) {
    const std::size_t n_rows = place_words.size();
    Column column{given, {}, {}};
    const std::size_t largest = largest_code(given.codes, n_rows);
    if (const std::uint8_t* bytes = bytes_of(given)) {
        const CodeSummary summary = kernels().summarize(bytes, n_rows, place_words.data());
        column.is_constant = summary.differing == 0;
        column.hash = summary.hash;
        if (!column.is_constant) make_words(column, largest + 1, n_rows);
        return column;
    }
    if (!given.ranks.empty() && largest >= given.ranks.size()) {
        throw std::invalid_argument("a code has no rank");
    }
    visit_values(given, [&](auto value) {
        const Word first = value(0);
        Word differing = 0, hash = 0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            differing |= value(row) ^ first;
            hash += value(row) * place_words[row];
        }
        column.is_constant = differing == 0;
        column.hash = hash;
    });
    if (!column.is_constant) make_words(column, largest + 1, n_rows);
    return column;
}

bool are_equal(const RankedColumn& a, const RankedColumn& b, std::size_t n_rows) {
    bool equal = true;
    visit_values(a, [&](auto value_of_a) {
        visit_values(b, [&](auto value_of_b) {
            for (std::size_t row = 0; equal && row < n_rows; ++row) {
                equal = value_of_a(row) == value_of_b(row);
            }
        });
    });
    return equal;
}

// Keeps the first of equal columns, and none that is constant.
std::vector<Column> distinct(std::vector<Column>&& columns, std::size_t n_rows, StopSignal& stop) {
    std::vector<Column> kept;
    std::unordered_multimap<Word, std::size_t> kept_by_hash;
    kept.reserve(columns.size());
    kept_by_hash.reserve(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
        Column& column = columns[c];
        if (column.is_constant) continue;
        if (c % columns_between_checks == 0) stop.check();
        const auto [begin, end] = kept_by_hash.equal_range(column.hash);
        const bool is_known = std::any_of(begin, end, [&](const auto& known) {
            return are_equal(kept[known.second].given, column.given, n_rows);
        });
        if (is_known) continue;
        kept_by_hash.emplace(column.hash, kept.size());
        kept.push_back(std::move(column));
    }
    return kept;
}

// Calls visit(c) for each column; short columns are given to threads several at a time.
template <class Visit>
void for_columns(ThreadPool& pool, std::size_t n_columns, std::size_t n_rows, Visit&& visit) {
    const std::size_t at_once = std::max<std::size_t>(1, block_rows / n_rows);
    pool.run((n_columns + at_once - 1) / at_once, [&](std::size_t task, std::size_t) {
        const std::size_t end = std::min(n_columns, (task + 1) * at_once);
        for (std::size_t c = task * at_once; c < end; ++c) visit(c);
    });
}

class KeyMaker {
  public:
    KeyMaker(std::size_t n_rows, const KeyedTarget& target, ThreadPool& pool)
        : target_(target), pool_(pool), keys_(n_rows) {
        for_row_blocks([&](std::size_t begin, std::size_t end) { add_target(begin, end); });
    }

    // `is_last`: columns that are still alike are told apart by their order.
    void add_columns(std::vector<Column>& columns, bool is_last) {
        salt(columns, is_last);
        for_row_blocks([&](std::size_t begin, std::size_t end) {
            std::fill(keys_.begin() + static_cast<std::ptrdiff_t>(begin),
                      keys_.begin() + static_cast<std::ptrdiff_t>(end), Word{0});
            for (const Column& column : columns) add_column(column, begin, end);
            add_target(begin, end);
        });
    }

    Words take() { return std::move(keys_); }

  private:
    template <class Visit>
    void for_row_blocks(Visit&& visit) {
        const std::size_t n_blocks = (keys_.size() + block_rows - 1) / block_rows;
        pool_.run(n_blocks, [&](std::size_t block, std::size_t) {
            visit(block * block_rows, std::min(keys_.size(), (block + 1) * block_rows));
        });
    }

    void add_target(std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const Word* words = target_.words.data() + row * target_.n_outputs;
            for (std::size_t output = 0; output < target_.n_outputs; ++output) {
                keys_[row] = scramble(keys_[row] ^ scramble(words[output] + output));
            }
        }
    }

    // In the end, columns of equal sums are numbered in their order: that alone tells them apart.
    void salt(std::vector<Column>& columns, bool is_last) {
        for_columns(pool_, columns.size(), keys_.size(),
                    [&](std::size_t c) { columns[c].salt = sum_of(columns[c]); });
        std::unordered_map<Word, Word> alike;
        alike.reserve(is_last ? columns.size() : 0);
        for (Column& column : columns) {
            column.salt = scramble(column.salt + (is_last ? ++alike[column.salt] : 1));
        }
        for_columns(pool_, columns.size(), keys_.size(), [&](std::size_t c) {
            Column& column = columns[c];
            column.salted.resize(column.words.size());
            std::transform(column.words.begin(), column.words.end(), column.salted.begin(),
                           [&](Word word) { return scramble(word ^ column.salt); });
        });
    }

    Word sum_of(const Column& column) const {
        const std::uint8_t* bytes = target_.copies.empty() ? bytes_of(column.given) : nullptr;
        if (bytes != nullptr) {
            return kernels().sum(bytes, keys_.size(), words_of_bytes(), keys_.data());
        }
        Word sum = 0;
        const auto add_up = [&](const auto* codes) {
            sum = sum_of_wide(codes, keys_.size(), keys_.data());
        };
        const bool is_plain = column.words.empty() && target_.copies.empty();
        if (is_plain && visit_wide(column.given, add_up)) return sum;
        visit_words(column, [&, keys = keys_.data(), n_rows = keys_.size()](auto word) {
            Word added = 0;
            if (target_.copies.empty()) {
                for (std::size_t row = 0; row < n_rows; ++row) {
                    added += scramble(word(row) ^ keys[row]);
                }
            } else {
                for (std::size_t row = 0; row < n_rows; ++row) {
                    const auto copies = static_cast<Word>(target_.copies[row]);
                    added += scramble(word(row) ^ keys[row]) * copies;
                }
            }
            sum = added;
        });
        return sum;
    }

    void add_column(const Column& column, std::size_t begin, std::size_t end) {
        Word* keys = keys_.data();
        const std::uint8_t* bytes = bytes_of(column.given);
        if (column.salted.empty() && bytes != nullptr) {
            kernels().add(bytes + begin, end - begin, words_of_bytes(), column.salt, keys + begin);
            return;
        }
        const auto add = [&](const auto* codes) {
            add_wide(codes + begin, end - begin, column.salt, keys + begin);
        };
        if (column.salted.empty() && visit_wide(column.given, add)) return;
        if (column.salted.empty()) {
            visit_words(column, [keys, begin, end, salt = column.salt](auto word) {
                for (std::size_t row = begin; row < end; ++row) {
                    keys[row] += scramble(word(row) ^ salt);
                }
            });
            return;
        }
        visit_codes(column.given.codes, [&, salted = column.salted.data()](const auto* codes) {
            for (std::size_t row = begin; row < end; ++row) keys[row] += salted[codes[row]];
        });
    }

    const KeyedTarget& target_;
    ThreadPool& pool_;
    Words keys_;
};

bool is_constant(const RankedColumn& column, std::size_t n_rows) {
    bool all_equal = true;
    visit_values(column, [&](auto value) {
        for (std::size_t row = 1; all_equal && row < n_rows; ++row) {
            all_equal = value(row) == value(0);
        }
    });
    return all_equal;
}

}  // namespace

std::vector<std::uint64_t> bags_of_values(std::span<const RankedColumn> columns, std::size_t n_rows,
                                          StopSignal& stop) {
    Words bags(n_rows);
    for (const RankedColumn& column : columns) {
        stop.check();
        if (is_constant(column, n_rows)) continue;
        visit_values(column, [&](auto value) {
            for (std::size_t row = 0; row < n_rows; ++row) bags[row] += scramble(value(row));
        });
    }
    return bags;
}

std::vector<std::uint64_t> content_keys(std::span<const RankedColumn> columns, std::size_t n_rows,
                                        const KeyedTarget& target, int n_threads,
                                        StopSignal& stop) {
    ThreadPool pool(n_threads, stop);
    if (n_rows == 0) return {};
    Words place_words(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) place_words[row] = scramble(row);
    std::vector<Column> looked_at(columns.size());
    for_columns(pool, columns.size(), n_rows,
                [&](std::size_t c) { looked_at[c] = look_at(columns[c], place_words); });
    std::vector<Column> kept = distinct(std::move(looked_at), n_rows, stop);
    KeyMaker maker(n_rows, target, pool);
    for (int round = 0; round < 2; ++round) maker.add_columns(kept, round == 1);
    return maker.take();
}

}  // namespace branchline
