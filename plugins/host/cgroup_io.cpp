#include "plugins/host/cgroup_io.hpp"

#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"

#include <filesystem>
#include <iterator>

namespace assay::host {
namespace {

constexpr assay_series rows[] = {
    sdk::counter("cgroup.read", "B", "Bytes read from the device."),
    sdk::counter("cgroup.written", "B", "Bytes written to the device."),
    sdk::counter("cgroup.reads", "requests", "Reads issued to the device."),
    sdk::counter("cgroup.writes", "requests", "Writes issued to the device."),
};
constexpr std::string_view unified_keys[] = {"rbytes=", "wbytes=", "rios=", "wios="}; // in the order of rows
constexpr std::size_t devices_max = 256;

std::span<const assay_series> rows_of(CgroupIoForm form) {
    const std::span all(rows);
    if (form == CgroupIoForm::unified) return all;
    return form == CgroupIoForm::bytes ? all.first(2) : all.last(2);
}

std::string device_name(const std::string& sys, std::string_view numbers) {
    std::error_code error;
    const auto link = std::filesystem::read_symlink(sys + "/dev/block/" + std::string(numbers), error);
    return error ? std::string(numbers) : link.filename().string();
}

// The device's "major:minor"; empty on a line of something else, as "Total 0".
std::string_view device_of(Scan& scan) {
    const std::string_view word = scan.word();
    return word.find(':') == std::string_view::npos ? std::string_view() : word;
}

void set_unified(Scan scan, std::size_t first, const sdk::Reading& reading) {
    for (std::string_view word = scan.word(); !word.empty(); word = scan.word()) {
        for (std::size_t i = 0; i < std::size(unified_keys); ++i) {
            std::uint64_t value = 0;
            if (word.starts_with(unified_keys[i]) && only_number(word.substr(unified_keys[i].size()), value))
                reading.set(first + i, value);
        }
    }
}

void set_version_1(Scan scan, std::size_t first, const sdk::Reading& reading) {
    const std::string_view kind = scan.word();
    std::uint64_t value = 0;
    if ((kind == "Read" || kind == "Write") && scan.field(value)) reading.set(first + (kind == "Read" ? 0 : 1), value);
}

} // namespace

CgroupIoFile::CgroupIoFile(std::string path, CgroupIoForm form)
    : file_(std::move(path)), unified_(form == CgroupIoForm::unified), rows_(rows_of(form)) {}

void CgroupIoFile::discover(sdk::SeriesList& list, const std::string& sys, const std::string& labels, Buffer& buffer) {
    devices_.clear();
    first_.clear();
    changed_ = false;
    const auto text = file_.read(buffer);
    Scan lines(text.value_or(std::string_view()));
    for (std::string_view line; lines.line(line) && devices_.size() < devices_max;) {
        Scan scan(line);
        const std::string_view device = device_of(scan);
        if (device.empty() || devices_.find(device) != npos) continue; // version 1 has a line for each kind
        devices_.add(device);
        first_.push_back(list.size());
        const char* which = list.keep(labels + "," + host::labels({{"device", device_name(sys, device)}}));
        for (const assay_series& row : rows_)
            list.add(row, 0, which);
    }
}

void CgroupIoFile::read(const sdk::Reading& reading, Buffer& buffer) {
    if (first_.empty() && changed_) return;
    const auto text = file_.read(buffer);
    devices_.rewind();
    Scan lines(text.value_or(std::string_view()));
    for (std::string_view line; lines.line(line);) {
        Scan scan(line);
        const std::string_view name = device_of(scan);
        if (name.empty()) continue;
        const std::size_t device = devices_.find(name);
        if (device == npos)
            changed_ = changed_ || devices_.size() < devices_max;
        else if (unified_)
            set_unified(scan, first_[device], reading);
        else
            set_version_1(scan, first_[device], reading);
    }
}

} // namespace assay::host
