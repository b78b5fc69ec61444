// What a plan's text may be: everything else is refused with its place, quickly, and without an exception.
#include "tests/unit/plan/fixture.hpp"

#include <chrono>
#include <random>

namespace assay {
namespace {

using test::expect_refused;
using test::parse;

constexpr const char* kGood =
    "name: n\nstages:\n- workload: block\n  targets: [/dev/a, \"b c\"]\n  options: {block_size: 4KiB, mix: [4KiB, "
    "8KiB]}\n"
    "  time: {measure: 1s}\n  sweep: {queue_depth: [1, 4]}\n";

TEST(PlanYaml, AnEmptyPlanSaysWhatAPlanIs) {
    for (const std::string empty : {"", "\n\n", "# only a comment\n", "---\n", "---\n...\n"}) {
        expect_refused(empty, "p.yaml: ", {"the plan is empty", "stages", "workload: block"});
    }
}

TEST(PlanYaml, APlanThatIsNotAMapSaysWhatItIs) {
    expect_refused("- a\n- b\n", "p.yaml:1:1: ", {"this is a list", "a plan is a map"});
    expect_refused("just text", "p.yaml:1:1: ", {"this is a text"});
    expect_refused("\n  42\n", "p.yaml:2:3: ", {"this is a text"});
}

TEST(PlanYaml, BinaryGarbageIsRefusedAtItsFirstByte) {
    expect_refused(std::string("stages:\n- \0x", 11), "p.yaml:2:3: ", {"0x00", "UTF-8"});
    expect_refused("name: \xff\xfe", "p.yaml:1:7: ", {"0xff", "UTF-8"});
    expect_refused(
        "\x7f"
        "ELF\x02\x01",
        "p.yaml:1:1: ", {"0x7f"});
    expect_refused("name: \xC3\xA4\x01", "p.yaml:1:8: ", {"0x01"});
    expect_refused("s\x1b[31m: x", "p.yaml:1:2: ", {"0x1b"});
    expect_refused(std::string("\xff\xfe"
                               "a\0:\0",
                               6),
                   "p.yaml:1:1: ", {"UTF-8"}); // UTF-16
}

TEST(PlanYaml, ABrokenSyntaxIsRefusedWithLineAndColumn) {
    expect_refused("name: a\nstages: [1, 2\n", "p.yaml:", {"not valid YAML"});
    expect_refused("name: a\n  bad: indent\n", "p.yaml:2:", {"not valid YAML"});
    expect_refused("name: 'open\n", "p.yaml:1:7: ", {"quote", "not closed"});
    expect_refused("name: 'a''\n", "p.yaml:1:7: ", {"quote"});
    expect_refused("name: \"a\\\"\n", "p.yaml:1:7: ", {"quote"});
    expect_refused("name: 'open", "p.yaml:1:12: ", {"not valid YAML"});
    expect_refused("name: a: b\n", "p.yaml:1:8: ", {"not valid YAML"});
    expect_refused("stages:\n\t- workload: block\n", "p.yaml:2:", {"not valid YAML"});
    expect_refused("{a: b}}", "p.yaml:1:", {});
}

TEST(PlanYaml, ColumnsCountCharacters) {
    expect_refused("name: \"\xC3\xA4\xC3\xB6\" \nstages: [{workload: block, title\xC3\xA9: x}]",
                   "p.yaml:2:28: ", {"title\xC3\xA9"});
    expect_refused("{name: \"\xC3\xA4\xC3\xB6\", extra: x}", "p.yaml:1:14: ", {"extra"});
}

TEST(PlanYaml, AByteOrderMarkAndWindowsLineEndsAreFine) {
    const auto plan = parse("\xEF\xBB\xBFname: n\r\nstages:\r\n- workload: block\r\n");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->name, "n");
    EXPECT_EQ(plan->stages[0].jobs[0].workload.text, "block");
}

TEST(PlanYaml, JsonIsAPlanToo) {
    const auto plan = test::check(R"({"name": "j", "stages": [{"workload": "block", "workers": 2,
        "options": {"queue_depth": 8, "mix": ["4KiB:1", "8KiB:3"]}, "sweep": {"block_size": ["4KiB"]}}]})");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->stages[0].points[0].jobs[0].options.find("queue_depth")->items[0].integer, 8);
    EXPECT_EQ(plan->stages[0].points[0].jobs[0].options.find("mix")->items[1].weight, 3.0);
}

TEST(PlanYaml, AKeyGivenTwiceNamesBothPlaces) {
    expect_refused("name: a\nstages: []\nname: b\n", "p.yaml:3:1: ", {"\"name\"", "twice", "line 1"});
    expect_refused(test::stage_with("options: {block_size: 4KiB, engine: psync, block-size: 8KiB}"),
                   "p.yaml:3:46: ", {"\"block-size\"", "twice", "line 3"});
}

TEST(PlanYaml, AnchorsAliasesAndTagsAreRefused) {
    expect_refused("name: &a x\nstages: *a\n", "p.yaml:1:7: ", {"anchors", "&a"});
    expect_refused("name: *nothing\n", "p.yaml:1:7: ", {});
    expect_refused("name: !!python/object x\n", "p.yaml:1:7: ", {"tags"});
    expect_refused("stages: !list []\n", "p.yaml:1:9: ", {"tags"});
    expect_refused("? [a, b]\n: c\n", "p.yaml:1:3: ", {"a key must be a text"});
    expect_refused("a: b\n---\nc: d\n", "p.yaml:", {"one YAML document"});
    expect_refused("<<: {a: b}\n", "p.yaml:1:1: ", {"\"<<\""});
}

// Far above what a linear parse takes under a sanitizer, far below what a quadratic one takes.
constexpr double kLinearSeconds = 15;

double seconds_to_refuse(const std::string& yaml) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(test::check(yaml).ok());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string repeated(const std::string& piece, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += piece;
    return text;
}

TEST(PlanYaml, ABombIsRefusedBeforeItGoesOff) {
    std::string laughs = "a0: &a0 [x]\n";
    for (int i = 1; i < 30; ++i) {
        const std::string name = std::to_string(i);
        const std::string last = std::to_string(i - 1);
        for (const std::string& piece : {std::string("a"), name, std::string(": &a"), name, std::string(" [*a"), last,
                                         std::string(", *a"), last, std::string("]\n")}) {
            laughs += piece;
        }
    }
    expect_refused(laughs, "p.yaml:1:5: ", {"anchors"});
    expect_refused(repeated("[", 17) + repeated("]", 17), "p.yaml:1:17: ", {"deeper than 16"});
    EXPECT_LT(seconds_to_refuse(repeated("[", 500'000)), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse(repeated("{a: ", 200'000)), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse(repeated("- ", 500'000)), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse(repeated("? ", 500'000)), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse("a: " + repeated("x ", 500'000)), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse(repeated("a: b\n", 200'000)), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse("a: [" + repeated("b,", 500'000) + "]"), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse("a: {" + repeated("b,", 500'000) + "}"), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse(repeated("%TAG ! x\n", 100'000)), kLinearSeconds);
    std::string keys;
    std::string values = "stages: [{workload: block, sweep: {queue_depth: [1";
    for (int i = 0; i < 100'000; ++i) {
        keys.append("k").append(std::to_string(i)).append(": x\n");
        values.append(", ").append(std::to_string(i + 2));
    }
    EXPECT_LT(seconds_to_refuse(keys), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse(values + "]}}]"), kLinearSeconds);
    EXPECT_LT(seconds_to_refuse("a: |\n" + repeated(" x\n", 300'000)), kLinearSeconds);
}

TEST(PlanYaml, AHugePlanIsRefusedBySize) {
    const std::string yaml = "name: " + std::string((1 << 20) - 5, 'x');
    ASSERT_EQ(yaml.size(), (1u << 20) + 1);
    expect_refused(yaml, "p.yaml: ", {"1048577 bytes", "at most 1048576"});
}

// Cut and mutated plans: any outcome but a crash, an exception or a message without a place is right.
TEST(PlanYaml, NoMutationOfAPlanGetsThroughAsAnException) {
    std::mt19937 random(2026);
    const std::string good = kGood;
    for (std::size_t cut = 0; cut < good.size(); ++cut)
        (void)test::check(good.substr(0, cut));
    constexpr char kNasty[] = "[]{}:,-?&*!|>'\"%@`#\n\t \\~a0";
    for (int round = 0; round < 20'000; ++round) {
        std::string yaml = good;
        const auto changes = 1 + random() % 4;
        for (std::size_t i = 0; i < changes; ++i) {
            const std::size_t at = random() % yaml.size();
            const char c = kNasty[random() % (sizeof kNasty - 1)];
            if (random() % 2 == 0) {
                yaml[at] = c;
            } else {
                yaml.insert(at, 1, c);
            }
        }
        const Status status = test::check(yaml).status();
        if (!status.ok()) {
            EXPECT_EQ(status.failure(), Failure::usage) << yaml;
            EXPECT_EQ(status.message().rfind("p.yaml:", 0), 0u) << status.message() << "\n" << yaml;
        }
    }
}

} // namespace
} // namespace assay
