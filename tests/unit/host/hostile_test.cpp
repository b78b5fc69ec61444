// Files that were damaged at random: nothing that the sampler reads may take it down, whatever it says. What is out of
// bounds is found by the sanitizer builds of the same test.
#include "plugins/host/sampler.hpp"
#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <random>

namespace assay::host {
namespace {

constexpr std::uint64_t seed = 20261130;

class Damage {
public:
    std::string operator()(std::string text) {
        const std::size_t times = 1 + pick(4);
        for (std::size_t i = 0; i < times && !text.empty(); ++i) {
            const std::size_t at = pick(text.size());
            switch (pick(7)) {
                case 0:
                    text.resize(at);
                    break;
                case 1:
                    text[at] = static_cast<char>(pick(256));
                    break;
                case 2:
                    text.erase(at, 1 + pick(20));
                    break;
                case 3:
                    text.insert(at, text.substr(pick(text.size()), pick(200)));
                    break;
                case 4:
                    text.insert(at, std::string(1 + pick(40), '9'));
                    break;
                case 5:
                    text.insert(at, 1, "\n:, \t()-="[pick(9)]);
                    break;
                default:
                    text[at] = '\0';
                    break;
            }
        }
        return text;
    }

private:
    std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_() % below); }
    std::mt19937_64 random_{seed};
};

TEST(HostileFiles, AreReadWithoutHarmBeforeAndAfterTheyChange) {
    Damage damage;
    for (const char* name : {"server", "vm", "nfs", "smb", "cgroup1", "cgroup2"}) {
        const OwnRoots own(name);
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(own.path("")))
            if (entry.is_regular_file())
                files.push_back(std::filesystem::relative(entry.path(), own.path("")).string());
        std::vector<std::string> good;
        for (const std::string& file : files)
            good.push_back(own.text(file));
        Settings settings;
        settings.roots = own.roots();
        settings.discover_every_ns = 1;
        for (int round = 0; round < 20; ++round) {
            HostSampler sampler(settings);
            sdk::SeriesList list;
            ASSERT_TRUE(sampler.list(list).ok());
            for (int step = 0; step < 4; ++step) {
                std::vector<assay_sample_value> values(list.size());
                std::vector<std::int64_t> group_ns(list.groups());
                const sdk::Status status = sampler.read(sdk::Reading(values, group_ns));
                if (status.code() == ASSAY_CANCELLED) {
                    list = {};
                    ASSERT_TRUE(sampler.list(list).ok());
                    ASSERT_LE(list.size(), 20 * series_max);
                }
                for (std::size_t i = 0; i < files.size(); ++i)
                    own.write(files[i], damage(good[i]));
            }
            for (std::size_t i = 0; i < files.size() && round % 2 == 0; ++i)
                own.write(files[i], good[i]);
        }
    }
}

} // namespace
} // namespace assay::host
