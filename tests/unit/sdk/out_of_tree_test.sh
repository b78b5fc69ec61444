#!/bin/sh
# A plugin author's way: install the SDK, copy the template, build it far from the source tree, load it, install it.
# Usage: out_of_tree_test.sh BUILD SOURCE PROBE CXX
set -eu

build=$1 source=$2 probe=$3 compiler=$4
# A plugin in a group-writable directory is not loaded by root.
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
prefix=$work/prefix

cmake --install "$build" --component sdk --prefix "$prefix" >"$work/install.log"
cp -r "$prefix/share/assay/template" "$work/hello"
cmake -S "$work/hello" -B "$work/hello/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$compiler" >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/hello/build" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
plugin=$work/hello/build/plugins/hello.so

if grep -rq "$source" "$prefix"; then
    echo "the installed SDK refers to the source tree:"
    grep -rl "$source" "$prefix"
    exit 1
fi
"$source/tools/dev/check_exports.py" "$plugin"

expected="hello 1.0.0 $(sha256sum "$plugin" | cut -d' ' -f1)"
said=$("$probe" "$plugin")
[ "$said" = "$expected" ] || { echo "by path: '$said' instead of '$expected'"; exit 1; }

# Installed beside a program that has the same prefix it is found by its name.
cmake --install "$work/hello/build" --prefix "$prefix" >>"$work/install.log"
mkdir -p "$prefix/bin"
cp "$probe" "$prefix/bin/probe"
expected="hello 1.0.0 $(sha256sum "$prefix"/lib*/assay/0/hello.so | cut -d' ' -f1)"
said=$("$prefix/bin/probe" hello)
[ "$said" = "$expected" ] || { echo "by name: '$said' instead of '$expected'"; exit 1; }
echo "the template builds out of tree and loads"
