#!/usr/bin/env bash
# Installs the Debian packages that a build needs, and with --test what its tests need.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tools/common.sh
. "$here/common.sh"

usage() {
    cat <<'END'
usage: tools/install-deps.sh [--test] [--list]

Installs the packages of Debian 12 that building assay needs. Where all are there it does nothing and needs no rights;
else it needs root or sudo.

  --test   also what tools/test.sh needs
  --list   print the packages, install nothing
END
}

build_packages=(
    g++ cmake ninja-build pkg-config ccache
    libboost1.81-dev      # Boost.DLL, in core/loader
    libcli11-dev          # command line
    libfmt-dev            # text
    nlohmann-json3-dev    # result.json
    libyaml-cpp-dev       # plans
    libssl-dev            # SHA-256 of plugins
    libblkid-dev          # what a device carries, before writing to it
    libncurses-dev        # the live screen
    liburing-dev libaio-dev
)
test_packages=(
    libgtest-dev libbenchmark-dev
    fio                                       # the peer that results are compared with
    python3 python3-jsonschema                # integration tests
    clang clang-format-14 libclang-rt-14-dev  # the second compiler
    kmod mount util-linux e2fsprogs btrfs-progs dmsetup # devices and file systems of the tests' own
    make                                      # a plugin author's build, with CMake's default generator
    strace tmux procps fdisk
    sysstat                                   # iostat, mpstat and sar: what sampled rates are compared with
)

packages=("${build_packages[@]}")
list=no
for argument in "$@"; do
    case $argument in
    -h | --help) usage; exit 0 ;;
    --test) packages+=("${test_packages[@]}") ;;
    --list) list=yes ;;
    *) die "unknown argument '$argument'; see --help" 2 ;;
    esac
done
if [ "$list" = yes ]; then
    printf '%s\n' "${packages[@]}"
    exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    die "this is no Debian; install the counterparts of: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
    [[ $status == *installed* && $status != *not-installed* ]] || missing+=("$package")
done
((${#missing[@]} > 0)) || exit 0

if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die "these packages are missing: ${missing[*]}
Run this script as root, or as root: apt-get install ${missing[*]}"
fi

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
        apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >&2
}
install() { apt install -y --no-install-recommends "${missing[@]}"; }

say "Installing ${missing[*]}"
updated=no
if ! apt-get -qq -s install --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
    say "The package lists do not have them all: updating the lists"
    apt update || die "apt-get update failed: is there a network, and are /etc/apt/sources.list* right?"
    updated=yes
fi
if ! install; then
    # Lists can be too old to download by, although they have the names.
    [ "$updated" = no ] || die "apt-get could not install ${missing[*]}; assay is built on Debian 12 (bookworm)"
    say "That failed: updating the package lists and trying once more"
    apt update || die "apt-get update failed: is there a network, and are /etc/apt/sources.list* right?"
    install || die "apt-get could not install ${missing[*]}; assay is built on Debian 12 (bookworm)"
fi
