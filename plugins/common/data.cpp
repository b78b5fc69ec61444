#include "plugins/common/data.hpp"

#include "plugins/common/prng.hpp"

#include <sys/random.h>
#include <time.h>

#include <bit>

namespace assay::common {

DataSource::DataSource(std::uint64_t seed) {
    for (Lane& lane : state_)
        for (std::uint64_t& word : lane)
            word = mix64(seed += golden_gamma);
}

void DataSource::fill(std::span<std::byte> bytes) {
    auto state = state_;
    std::byte* at = bytes.data();
    std::size_t left = bytes.size();
    while (left > 0) {
        Lane out;
        for (std::size_t i = 0; i < streams; ++i) {
            out[i] = std::rotl(state[0][i] + state[3][i], 23) + state[0][i];
            const std::uint64_t shifted = state[1][i] << 17;
            state[2][i] ^= state[0][i];
            state[3][i] ^= state[1][i];
            state[1][i] ^= state[2][i];
            state[0][i] ^= state[3][i];
            state[2][i] ^= shifted;
            state[3][i] = std::rotl(state[3][i], 45);
        }
        const std::size_t now = left < sizeof(out) ? left : sizeof(out);
        std::memcpy(at, out.data(), now);
        at += now;
        left -= now;
    }
    state_ = state;
}

std::uint64_t data_salt() {
    std::uint64_t salt = 0;
    if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) != sizeof(salt)) {
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        salt = mix64(static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec));
    }
    return salt;
}

} // namespace assay::common
