#include "tools/assay/dialects/fio/shape.hpp"

#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::cli::fio {
namespace {

constexpr std::uint64_t range_sizes_max = 64;
constexpr std::uint64_t block_max = std::uint64_t{1} << 30;

void set_engine(Settings& settings, Shape& shape) {
    const std::string engine = settings.text("ioengine").value_or("psync");
    for (const std::string_view sync : {"sync", "psync", "vsync", "pvsync", "pvsync2"})
        if (engine == sync) return;
    if (engine == "libaio" || engine == "io_uring")
        shape.engine = engine;
    else if (engine == "windowsaio")
        settings.fail("ioengine", "windowsaio is for Windows: use libaio or io_uring here");
    else
        settings.fail("ioengine", fmt::format("{} is not supported: use io_uring, libaio or psync", in_quotes(engine)));
}

void set_direction(Settings& settings, Shape& shape) {
    shape.rw = settings.text("rw").value_or("read");
    if (shape.rw.find(':') != std::string::npos)
        return settings.fail("rw",
                             fmt::format("{}: a ':' modifier is not supported: leave it out", in_quotes(shape.rw)));
    struct Known {
        std::string_view name, pattern;
        bool reads, writes, trims;
    };
    static constexpr Known all[] = {
        {"read", "read", true, false, false},         {"write", "write", false, true, false},
        {"randread", "randread", true, false, false}, {"randwrite", "randwrite", false, true, false},
        {"rw", "readwrite", true, true, false},       {"readwrite", "readwrite", true, true, false},
        {"randrw", "randrw", true, true, false},      {"trim", "trim", false, false, true},
        {"randtrim", "randtrim", false, false, true},
    };
    for (const Known& known : all) {
        if (known.name != shape.rw) continue;
        shape.pattern = known.pattern;
        shape.reads = known.reads;
        shape.writes = known.writes;
        shape.trims = known.trims;
        return;
    }
    settings.fail("rw", fmt::format("{} is not one of read, write, randread, randwrite, rw, randrw, trim and randtrim",
                                    in_quotes(shape.rw)));
}

// The piece for what the job does; a job that reads and writes needs equal ones.
std::optional<std::string> piece_for(Settings& settings, std::string_view name, const Shape& shape) {
    const auto text = settings.text(name);
    if (!text) return std::nullopt;
    const Directions pieces = settings.take(name, parse_directions(*text));
    if (shape.mixed() && pieces.read != pieces.write)
        settings.fail(name,
                      fmt::format("{}: a job that reads and writes needs the same for both here; make it two jobs",
                                  in_quotes(*text)));
    return shape.reads ? pieces.read : shape.writes ? pieces.write : pieces.trim;
}

void set_range(Settings& settings, Shape& shape, const std::string& text) {
    const ByteRange range = settings.take("bsrange", parse_byte_range(text, settings.kb_base()));
    if (range.low == 0 || range.high % range.low != 0 || (range.low & (range.low - 1)) != 0 ||
        range.high / range.low > range_sizes_max) {
        return settings.fail("bsrange",
                             fmt::format("{}: the lower bound must be a power of two, the upper one a multiple "
                                         "of it, at most {} times as large; or use bssplit",
                                         in_quotes(text), range_sizes_max));
    }
    shape.block_bytes = range.low;
    for (std::uint64_t bytes = range.low; bytes <= range.high && range.high > range.low; bytes += range.low)
        shape.mix.push_back({bytes, 1});
}

void set_split(Settings& settings, Shape& shape, const std::string& text) {
    std::vector<WeightedBytes> sizes = settings.take("bssplit", parse_split(text, settings.kb_base()));
    if (sizes.empty()) return;
    shape.block_bytes = std::min_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
                            return a.bytes < b.bytes;
                        })->bytes;
    for (const WeightedBytes& size : sizes) {
        if (shape.block_bytes == 0 || size.bytes % shape.block_bytes != 0)
            return settings.fail("bssplit",
                                 fmt::format("{}: every size must be a multiple of the smallest", in_quotes(text)));
    }
    if (sizes.size() > 1) shape.mix = std::move(sizes);
}

void set_sizes(Settings& settings, Shape& shape) {
    const auto split = piece_for(settings, "bssplit", shape);
    const auto range = piece_for(settings, "bsrange", shape);
    if (split && range) settings.fail("bssplit", "and bsrange exclude each other: give one of them");
    if (split)
        set_split(settings, shape, *split);
    else if (range)
        set_range(settings, shape, *range);
    else if (const auto size = piece_for(settings, "bs", shape))
        shape.block_bytes = settings.take<std::uint64_t>("bs", parse_bytes(*size, settings.kb_base()), 4096);
    if (shape.block_bytes < 512 || shape.block_bytes > block_max)
        settings.fail("bs", fmt::format("{} bytes lie outside 512 to {}", shape.block_bytes, block_max));
    if (const auto align = piece_for(settings, "ba", shape)) {
        if (settings.take("ba", parse_bytes(*align, settings.kb_base())) != shape.block_bytes)
            settings.fail("ba",
                          fmt::format("{}: offsets are aligned to the smallest block, {} bytes, and to nothing else",
                                      in_quotes(*align), shape.block_bytes));
    }
}

void set_mix(Settings& settings, Shape& shape) {
    const double read = static_cast<double>(settings.count("rwmixread", 50, 0, 100));
    const double write = static_cast<double>(settings.count("rwmixwrite", 50, 0, 100));
    if (settings.given("rwmixread") && settings.given("rwmixwrite") && read + write != 100)
        settings.fail("rwmixread", fmt::format("{} and rwmixwrite {} do not add up to 100", read, write));
    shape.read_percent = settings.given("rwmixread") ? read : settings.given("rwmixwrite") ? 100 - write : 50;
}

// Requests a second of each direction the job has, from one value or one a direction.
std::optional<double> total_rate(Settings& settings, std::string_view name, const Shape& shape, double bytes_each) {
    const auto text = settings.text(name);
    if (!text || *text == "0") return std::nullopt;
    const Directions pieces = settings.take(name, parse_directions(*text));
    const auto one = [&](const std::optional<std::string>& piece) {
        if (!piece) return 0.0;
        return static_cast<double>(settings.take(name, parse_bytes(*piece, settings.kb_base()))) / bytes_each;
    };
    if (!shape.mixed()) return one(shape.reads ? pieces.read : shape.writes ? pieces.write : pieces.trim);
    const double reads = one(pieces.read);
    const double writes = one(pieces.write);
    if (std::abs(reads * (100 - shape.read_percent) - writes * shape.read_percent) > 1e-6 * (reads + writes))
        settings.fail(name,
                      fmt::format("{}: its shares differ from the mix of {}% reads; give reads and writes a job each",
                                  in_quotes(*text), shape.read_percent));
    return reads + writes;
}

} // namespace

Shape shape_of(Settings& settings) {
    Shape shape;
    set_engine(settings, shape);
    set_direction(settings, shape);
    set_sizes(settings, shape);
    set_mix(settings, shape);
    return shape;
}

std::optional<double> rate_of(Settings& settings, const Shape& shape) {
    const auto requests = total_rate(settings, "rate_iops", shape, 1);
    const auto bytes = total_rate(settings, "rate", shape, static_cast<double>(shape.block_bytes));
    if (!requests && !bytes) return std::nullopt;
    if (requests && bytes) settings.fail("rate", "and rate_iops exclude each other: give one of them");
    if (bytes && !shape.mix.empty()) settings.fail("rate", "needs one block size: use rate_iops");
    if (settings.given("thinktime")) settings.fail("rate", "and thinktime exclude each other: give one of them");
    return requests ? requests : bytes;
}

} // namespace assay::cli::fio
