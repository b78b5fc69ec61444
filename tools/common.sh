# shellcheck shell=bash
# What the scripts in tools/ share; sourced, not run. Needs nothing that a base Debian 12 lacks.

say() { printf '\n== %s\n' "$*" >&2; }

die() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit "${2:-1}"
}

# A root shell's own rights, or sudo's. Fails with what to do if there are neither.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "needs root for '$*': run this script as root, or install sudo"
    fi
}

# Compilers to run at once: one a CPU, as far as memory reaches (the largest sources take some 700 MB each).
build_jobs() {
    local cpus mib jobs
    cpus=$(nproc)
    mib=$(awk '/^MemAvailable:/ {print int($2 / 1024)}' /proc/meminfo)
    jobs=$((mib / 700))
    ((jobs < cpus)) || jobs=$cpus
    ((jobs > 0)) || jobs=1
    echo "$jobs"
}
