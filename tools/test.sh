#!/usr/bin/env bash
# Installs, builds and tests; ends with CTest's summary.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
# shellcheck source=tools/common.sh
. "$here/common.sh"

usage() {
    cat <<'END'
usage: tools/test.sh [--full]

Installs the packages that are missing (as root, or with sudo), builds release into build/release and runs its tests
except the slow ones. With --full also the slow ones, and the unit and integration tests of an address and undefined
behaviour sanitizer build (build/asan) and of a thread sanitizer build (build/tsan), all in one run of CTest whose
summary is the last output. Exits as CTest does: 0 if all passed.

Tests that need loop or zram devices need root and skip themselves otherwise. Temporary files go below $TMPDIR
(/var/tmp if not set: O_DIRECT and real extents need a disk).
END
}

full=no
for argument in "$@"; do
    case $argument in
    -h | --help) usage; exit 0 ;;
    --full) full=yes ;;
    *) die "unknown argument '$argument'; see --help" 2 ;;
    esac
done

"$here/install-deps.sh" --test

TMPDIR=$(mktemp -d "${TMPDIR:-/var/tmp}/assay-tests.XXXXXX")
chmod 1777 "$TMPDIR" # as /tmp is: some tests give up their rights halfway
export TMPDIR

# Tests clean up after themselves; this is for those that crashed or were killed.
clean_up() {
    local device file
    # shellcheck source=tests/lab/devices.sh
    . "$root/tests/lab/devices.sh"
    lab_sweep
    while read -r device file; do
        [[ $file != "$TMPDIR"/* ]] || losetup -d "$device"
    done < <(losetup -n -O NAME,BACK-FILE 2>/dev/null || true)
    rm -rf --one-file-system "$TMPDIR"
}
trap 'clean_up >/dev/null 2>&1 || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ "$(id -u)" = 0 ]; then
    for module in loop zram; do
        case $module in
        loop) [ -e /dev/loop-control ] || modprobe loop 2>/dev/null || say "No loop devices: their tests are skipped" ;;
        zram)
            [ -e /sys/class/zram-control ] || modprobe zram num_devices=0 2>/dev/null ||
                say "No zram devices: their tests are skipped"
            ;;
        esac
    done
else
    say "Not root: the tests that make devices skip themselves"
fi

# GCC 12's thread sanitizer cannot place its shadow where the kernel randomises more than 28 bits.
calm=()
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -gt 28 ]; then calm=(setarch "$(uname -m)" -R); fi

# build NAME CMAKE_ARGUMENT...
build() {
    local name=$1
    shift
    say "Building $name"
    cmake -S "$root" -B "$root/build/$name" -G Ninja -DASSAY_TESTS=ON "$@" >/dev/null
    "${calm[@]}" cmake --build "$root/build/$name" -j "$(build_jobs)" >&2
}

build release -DCMAKE_BUILD_TYPE=Release -DASSAY_SANITIZE=
if [ "$full" = no ]; then
    say "Testing"
    status=0
    ctest --test-dir "$root/build/release" --output-on-failure -j 2 -LE slow || status=$?
    exit "$status"
fi

build asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DASSAY_SANITIZE=address
build tsan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DASSAY_SANITIZE=thread
say "Testing all three builds"
"${calm[@]}" python3 "$here/dev/merge_tests.py" "$root/build/full" \
    "release=$root/build/release" "asan=$root/build/asan:unit|integration" "tsan=$root/build/tsan:unit|integration"
status=0
"${calm[@]}" ctest --test-dir "$root/build/full" --output-on-failure -j 2 || status=$?
exit "$status"
