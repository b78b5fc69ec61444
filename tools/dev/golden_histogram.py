#!/usr/bin/env python3
"""Makes the golden vectors of the recorder's arithmetic, sdk/abi-baseline/histogram.csv.

Written from the words in recorder.h, in whole numbers, and not from its C: values 0..127 ns have a bucket each; above,
every octave [2^e, 2^(e+1)) has 64 sub-buckets of 2^(e-6) ns, up to 2^41 ns; larger values fall into the last bucket.
So that a mistake in one is not repeated in the other.

Prints the file; with --check compares it with the one in the repository.
"""
import argparse
import pathlib
import sys

SINGLE = 128  # values below have a bucket each
SUB_BUCKETS = 64
FIRST_OCTAVE = 7  # [2^7, 2^8)
END_OCTAVE = 41
BUCKETS = SINGLE + (END_OCTAVE - FIRST_OCTAVE) * SUB_BUCKETS
FILE = "sdk/abi-baseline/histogram.csv"


def bucket(value_ns):
    """(index, lowest value, highest value) of the bucket that a value falls into."""
    if value_ns < SINGLE:
        return value_ns, value_ns, value_ns
    octave = value_ns.bit_length() - 1
    if octave >= END_OCTAVE:
        return bucket(2**END_OCTAVE - 1)
    width = 2**octave // SUB_BUCKETS
    position = (value_ns - 2**octave) // width
    lower = 2**octave + position * width
    return SINGLE + (octave - FIRST_OCTAVE) * SUB_BUCKETS + position, lower, lower + width - 1


def values():
    """Every small value, both ends of sub-buckets at the start, middle and end of every octave, the neighbours of every
    power of two, values beyond the end, and a pseudo-random walk through the range."""
    chosen = set(range(SINGLE + 260))
    for octave in range(FIRST_OCTAVE, END_OCTAVE):
        width = 2**octave // SUB_BUCKETS
        for position in (0, 1, 31, 32, 62, 63):
            lower = 2**octave + position * width
            chosen |= {lower, lower + width // 2, lower + width - 1}
    for power in range(64):
        chosen |= {2**power - 1, 2**power, 2**power + 1}
    chosen |= {2**64 - 1, 10**3, 10**6, 10**9, 60 * 10**9, 3600 * 10**9}
    state = 1
    for _ in range(200):
        state = state * 6364136223846793005 % 2**64 + 1442695040888963407
        state %= 2**64
        chosen.add(state >> (state % 61))
    return sorted(value for value in chosen if value < 2**64)


def text():
    lines = ["value_ns,index,lower_ns,upper_ns"]
    lines += [",".join(map(str, (value, *bucket(value)))) for value in values()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2], type=pathlib.Path)
    options = parser.parse_args()
    assert BUCKETS == bucket(2**64 - 1)[0] + 1
    if not options.check:
        sys.stdout.write(text())
    elif (options.root / FILE).read_text(encoding="utf-8") != text():
        sys.exit(f"{FILE} is not what golden_histogram.py makes")


if __name__ == "__main__":
    main()
