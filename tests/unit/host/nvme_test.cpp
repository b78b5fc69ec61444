#include "plugins/host/nvme_smart.hpp"
#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace assay::host {
namespace {

SmartPage captured() {
    SmartPage page{};
    std::ifstream file(ASSAY_HOST_SAMPLES "/nvme/smart-nvmet.bin", std::ios::binary);
    file.read(reinterpret_cast<char*>(page.data()), static_cast<std::streamsize>(page.size()));
    EXPECT_EQ(file.gcount(), 512);
    return page;
}

// A page with a number at an offset, little-endian as the specification has it.
SmartPage with(std::size_t offset, std::initializer_list<unsigned char> bytes) {
    SmartPage page{};
    std::copy(bytes.begin(), bytes.end(), page.begin() + static_cast<std::ptrdiff_t>(offset));
    return page;
}

class Nvme : public testing::Test {
protected:
    // A source over one controller that answers with `page`.
    Probe probe(const SmartPage& page) {
        own_.write("sys/class/nvme/nvme0/model", "x\n");
        Probe probe(make_nvme_source(own_.roots(), {}, [page](const std::string& path, SmartPage& to) {
            to = page;
            return path.ends_with("/dev/nvme0");
        }));
        probe.read();
        return probe;
    }
    OwnRoots own_;
};

TEST_F(Nvme, CapturedPageAgreesWithTheBlockDevicesOwnCounters) {
    // Beside the page, /proc/diskstats of the target's device said 906 reads of 204848 sectors and 450 writes of
    // 102400.
    const Probe smart = probe(captured());
    EXPECT_EQ(smart.raw("nvme.reads{device=nvme0}"), 906u);
    EXPECT_EQ(smart.raw("nvme.writes{device=nvme0}"), 450u);
    // Units of 512,000 B, rounded up: 204848 x 512 / 512000 = 204.8 and 102400 x 512 / 512000 = 102.4.
    EXPECT_EQ(smart.scaled("nvme.read{device=nvme0}"), 205.0 * 512000);
    EXPECT_EQ(smart.scaled("nvme.written{device=nvme0}"), 103.0 * 512000);
    EXPECT_EQ(smart.raw("nvme.temperature{device=nvme0}"), std::nullopt) << "0 K is not reported";
}

TEST_F(Nvme, EveryFieldIsAtItsOffset) {
    const struct {
        std::size_t offset;
        const char* metric;
        double scale;
        std::size_t bytes;
    } fields[] = {{0, "critical_warning", 1, 1},
                  {3, "spare", 1, 1},
                  {4, "spare_threshold", 1, 1},
                  {5, "used", 1, 1},
                  {32, "read", 512000, 16},
                  {48, "written", 512000, 16},
                  {64, "reads", 1, 16},
                  {80, "writes", 1, 16},
                  {96, "busy", 60, 16},
                  {112, "power_cycles", 1, 16},
                  {128, "power_on", 3600, 16},
                  {144, "unsafe_shutdowns", 1, 16},
                  {160, "media_errors", 1, 16},
                  {176, "error_log_entries", 1, 16},
                  {192, "warning_temperature_time", 60, 4},
                  {196, "critical_temperature_time", 60, 4},
                  {216, "throttle_light", 1, 4},
                  {220, "throttle_heavy", 1, 4},
                  {224, "throttle_light_time", 1, 4},
                  {228, "throttle_heavy_time", 1, 4}};
    for (const auto& field : fields) {
        const std::string name = std::string("nvme.") + field.metric + "{device=nvme0}";
        const bool byte = field.bytes == 1;
        const Probe smart = probe(byte ? with(field.offset, {0x34}) : with(field.offset, {0x34, 0x12, 0, 0x80}));
        EXPECT_EQ(smart.scaled(name), field.scale * (byte ? 0x34 : 0x80001234)) << name;
        const assay_series& series = *smart.find(name);
        EXPECT_EQ(series.kind, byte ? ASSAY_SERIES_GAUGE : ASSAY_SERIES_COUNTER) << name;
        EXPECT_EQ(series.width_bits, byte ? 64 : field.bytes * 8) << name;
        EXPECT_EQ(series.value == ASSAY_VALUE_U128, field.bytes == 16) << name;
    }
}

TEST_F(Nvme, UpperHalfOf128BitsIsKept) {
    const Probe smart = probe(with(32, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80}));
    EXPECT_EQ(smart.raw("nvme.read{device=nvme0}"), 0u);
    EXPECT_EQ(smart.high("nvme.read{device=nvme0}"), 0x8000000000000001u);
}

TEST_F(Nvme, KelvinBecomesCelsius) {
    EXPECT_EQ(probe(with(1, {0x38, 0x01})).scaled("nvme.temperature{device=nvme0}"), 312 - 273); // 0x138
}

TEST_F(Nvme, ZeroDataUnitsAreNotReportedAndZeroCommandsAreZero) {
    const Probe smart = probe(SmartPage{});
    EXPECT_EQ(smart.raw("nvme.read{device=nvme0}"), std::nullopt);
    EXPECT_EQ(smart.raw("nvme.written{device=nvme0}"), std::nullopt);
    EXPECT_EQ(smart.raw("nvme.reads{device=nvme0}"), 0u);
}

TEST_F(Nvme, AControllerThatDoesNotAnswerIsNotListed) {
    own_.write("sys/class/nvme/nvme0/model", "x\n");
    EXPECT_EQ(Probe(make_nvme_source(own_.roots(), {}, &read_smart)).size(), 0u);
    own_.write("dev/nvme0", "a file is no controller");
    EXPECT_EQ(Probe(make_nvme_source(own_.roots(), {}, &read_smart)).size(), 0u);
}

TEST_F(Nvme, AControllerThatIsPluggedInMakesTheListStale) {
    Probe probe(make_nvme_source(own_.roots(), {}, [](const std::string&, SmartPage& page) {
        page.fill(0);
        return true;
    }));
    EXPECT_FALSE(probe.stale());
    own_.write("sys/class/nvme/nvme3/model", "x\n");
    EXPECT_TRUE(probe.stale());
    probe.discover();
    EXPECT_TRUE(probe.lists("nvme.reads{device=nvme3}"));
}

} // namespace
} // namespace assay::host
