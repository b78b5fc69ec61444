// How every part of the core reports failure: errors are values that carry what a user needs to act.
//
// A Status is either fine or has a Failure class (which decides the exit code) and one finished sentence that names
// the thing, the value, the rule and what to do. Callers add context in front with `wrap`. Any thread; plain values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace assay {

enum class Failure {
    none,
    usage,      // the user asked for something that cannot be: exit 2
    run_failed, // the run could not be done or finished: exit 3
    unsafe,     // refused because data could be lost: exit 2
    internal,   // a defect of ours: exit 3
};

class [[nodiscard]] Status {
public:
    Status() = default;
    Status(Failure failure, std::string message) : failure_(failure), message_(std::move(message)) {}

    [[nodiscard]] bool ok() const { return failure_ == Failure::none; }
    [[nodiscard]] Failure failure() const { return failure_; }
    [[nodiscard]] const std::string& message() const { return message_; }

    // The same failure with "context: " in front of its message; fine stays fine.
    [[nodiscard]] Status wrap(std::string_view context) const {
        return ok() ? *this : Status(failure_, std::string(context) + ": " + message_);
    }

private:
    Failure failure_ = Failure::none;
    std::string message_;
};

inline Status usage_error(std::string message) { return {Failure::usage, std::move(message)}; }
inline Status run_error(std::string message) { return {Failure::run_failed, std::move(message)}; }
inline Status unsafe_error(std::string message) { return {Failure::unsafe, std::move(message)}; }
inline Status internal_error(std::string message) { return {Failure::internal, std::move(message)}; }

// A value or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
    Result(Status failure) : content_(std::move(failure)) {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool ok() const { return std::holds_alternative<T>(content_); }
    explicit operator bool() const { return ok(); }
    [[nodiscard]] Status status() const { return ok() ? Status() : std::get<Status>(content_); }

    // Only when ok().
    [[nodiscard]] T& value() { return std::get<T>(content_); }
    [[nodiscard]] const T& value() const { return std::get<T>(content_); }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

private:
    std::variant<T, Status> content_;
};

} // namespace assay
