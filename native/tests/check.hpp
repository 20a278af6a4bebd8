// A test is a function with a name, registered when the program starts:
//
//     const check::Test adds{"one and one are two", [] { check::equal(1 + 1, 2); }};
//
// A failed check throws and ends its test; the others go on.
#pragma once

#include <cmath>
#include <source_location>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

struct Test {
    using Body = void (*)();

    Test(const char* test_name, Body test_body) : name(test_name), body(test_body) {
        all().push_back(*this);
    }

    static std::vector<Test>& all() {
        static std::vector<Test> tests;
        return tests;
    }

    const char* name;
    Body body;
};

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Where = std::source_location;

[[noreturn]] inline void fail(const std::string& what, Where where = Where::current()) {
    std::ostringstream text;
    text << where.file_name() << ':' << where.line() << ": " << what;
    throw Failure(text.str());
}

inline void that(bool holds, const char* what, Where where = Where::current()) {
    if (!holds) fail(std::string("not true: ") + what, where);
}

template <class Seen, class Expected>
void equal(const Seen& seen, const Expected& expected, Where where = Where::current()) {
    if (seen == expected) return;
    std::ostringstream text;
    text << "saw " << seen << ", expected " << expected;
    fail(text.str(), where);
}

template <class Value>
void equal(const std::vector<Value>& seen, const std::vector<Value>& expected,
           Where where = Where::current()) {
    if (seen == expected) return;
    if (seen.size() != expected.size()) {
        fail(std::to_string(seen.size()) + " values, expected " + std::to_string(expected.size()),
             where);
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen[i] == expected[i]) continue;
        std::ostringstream text;
        text << "at " << i << " saw " << +seen[i] << ", expected " << +expected[i];
        fail(text.str(), where);
    }
    fail("values that do not equal themselves", where);
}

inline void near(double seen, double expected, double tolerance, Where where = Where::current()) {
    if (!(std::abs(seen - expected) <= tolerance)) {
        fail("saw " + std::to_string(seen) + ", expected " + std::to_string(expected), where);
    }
}

template <class Exception, class Work>
void throws(Work&& work, Where where = Where::current()) {
    try {
        work();
    } catch (const Exception&) {
        return;
    } catch (const std::exception& other) {
        fail(std::string("another exception: ") + other.what(), where);
    }
    fail("no exception", where);
}

}  // namespace check
