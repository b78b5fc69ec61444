#include "core/report/notices.hpp"

#include <algorithm>

namespace assay::report {
namespace {

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return out;
}

} // namespace

void Notices::set(const std::vector<result::Verdict>& verdicts) {
    for (Entry& entry : entries_) {
        entry.holds = entry.key.empty();
        if (!entry.holds) entry.notice.times = 0;
    }
    for (const result::Verdict& verdict : verdicts) {
        const std::string key = verdict.check + " " + verdict.job;
        auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
        if (entry == entries_.end()) entry = entries_.insert(entries_.end(), Entry{key, {}, false});
        Notice& notice = entry->notice;
        notice.level = entry->holds ? std::max(notice.level, verdict.level) : verdict.level;
        notice.times = entry->holds ? notice.times + 1 : 1;
        notice.label = upper(result::level_name(notice.level)) + " " + verdict.check;
        notice.text = verdict.message;
        entry->holds = true;
    }
    std::erase_if(entries_, [](const Entry& entry) { return !entry.holds; });
}

void Notices::add(assay_severity severity, const std::string& text) {
    Notice notice;
    if (severity >= ASSAY_LOG_ERROR) {
        notice.level = result::Level::invalid;
        notice.label = "error";
    } else if (severity == ASSAY_LOG_WARNING) {
        notice.level = result::Level::suspect;
        notice.label = "warning";
    }
    notice.text = text;
    const auto message = [](const Entry& entry) { return entry.key.empty(); };
    if (std::count_if(entries_.begin(), entries_.end(), message) >= static_cast<std::ptrdiff_t>(messages_max))
        entries_.erase(std::find_if(entries_.begin(), entries_.end(), message));
    entries_.push_back({"", std::move(notice), true});
}

std::vector<Notice> Notices::all() const {
    std::vector<Notice> notices;
    for (const Entry& entry : entries_)
        notices.push_back(entry.notice);
    return notices;
}

} // namespace assay::report
