#!/usr/bin/env bash
# From a fresh clone to a measured, explained profile of a file on a disk, in one command.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
# shellcheck source=tools/common.sh
. "$here/common.sh"

usage() {
    cat <<'END'
usage: tools/quickstart.sh [DIR]

Installs the packages that are missing (as root, or with sudo), builds assay into build/release, and profiles a file
that it makes under DIR and removes again: 4 KiB random and 1 MiB sequential, read and write, 1 and 32 in flight, each
10 s after a warm-up of 2 s, with direct I/O: two minutes after the build. Prints the table, the verdicts and where
the bundle is. DIR is where the disk is mounted that you want to know about; without it, the first of /var/tmp, this
repository and $HOME that is on a disk with room. Nothing else under DIR is touched.

The file takes 4 GiB, or a quarter of the free space if that is less, and at least 256 MiB. The plan is
docs/examples/profile.yaml; exits as `assay run` does: 0 fine, 3 the run failed, 5 a number was found invalid.
END
}

directory=
for argument in "$@"; do
    case $argument in
    -h | --help) usage; exit 0 ;;
    -*) die "unknown option '$argument'; see --help" 2 ;;
    *)
        [ -z "$directory" ] || die "one directory only, got '$directory' and '$argument'" 2
        directory=$argument
        ;;
    esac
done

min_mib=256
max_mib=4096

free_mib() { df --output=avail -B 1M -- "$1" | awk 'NR == 2 {print $1 + 0}'; }
size_mib() {
    local mib
    mib=$(($(free_mib "$1") / 4))
    echo $((mib < max_mib ? mib : max_mib))
}
on_disk() {
    case $(stat -f -c %T -- "$1") in
    tmpfs | ramfs | overlayfs | nfs | smb* | cifs | fuse* | v9fs) return 1 ;;
    esac
}

default_directory() {
    local candidate
    for candidate in /var/tmp "$root" "${HOME:-/}"; do
        if [ -d "$candidate" ] && [ -w "$candidate" ] && on_disk "$candidate" &&
            [ "$(size_mib "$candidate")" -ge $min_mib ]; then
            echo "$candidate"
            return
        fi
    done
    die "none of /var/tmp, $root and ${HOME:-/} is on a disk with $((min_mib * 4)) MiB free: name a directory"
}

# All that can be refused is refused before ten minutes of building.
[ -n "$directory" ] || directory=$(default_directory)
[ -d "$directory" ] || die "'$directory' is no directory: name one on the disk to measure" 2
[ -w "$directory" ] || die "'$directory' is not writable for $(id -un): name another, or run as root" 2
[ -w . ] || die "the current directory is not writable, and the bundle goes to ./assay-results: cd somewhere else" 2
directory=$(cd -- "$directory" && pwd -P)
mib=$(size_mib "$directory")
((mib >= min_mib)) || die "'$directory' has $(free_mib "$directory") MiB free; a quarter of it is used, and a file \
of less than $min_mib MiB says little: name a directory with at least $((min_mib * 4)) MiB free" 2

"$here/install-deps.sh"

say "Building assay into build/release"
cmake -S "$root" -B "$root/build/release" -G Ninja -DCMAKE_BUILD_TYPE=Release -DASSAY_TESTS=OFF >/dev/null
cmake --build "$root/build/release" -j "$(build_jobs)" >&2

file=$(mktemp -- "$directory/assay-profile.XXXXXX")
trap 'rm -f -- "$file"' EXIT
say "Profiling $file ($mib MiB) on $(df --output=source,fstype -- "$directory" | awk 'NR == 2 {print $1 " (" $2 ")"}')"

# The run is asked to stop exactly once, whoever is interrupted, and still writes its bundle: a second signal would end
# it at once. So it ignores what a terminal sends to everybody, and gets SIGTERM from here.
trap '' INT HUP
"$root/build/release/bin/assay" run "$root/docs/examples/profile.yaml" \
    --set "targets=$file" --set "size=${mib}MiB" &
run=$!
asked=no
stop() {
    [ "$asked" = yes ] || kill -TERM "$run" 2>/dev/null || true
    asked=yes
}
trap stop INT TERM HUP
status=0
wait "$run" || status=$?
while kill -0 "$run" 2>/dev/null; do # a trapped signal ends `wait`, not the run
    status=0
    wait "$run" || status=$?
done
exit "$status"
