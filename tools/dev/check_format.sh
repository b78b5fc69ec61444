#!/bin/sh
# Checks that every C and C++ source has the layout of .clang-format. With --fix: gives it that layout.
# Usage: check_format.sh [--fix] [ROOT]
# Exit status: 0 fine, 1 not, 77 if there is no clang-format 14 (its versions differ in what they write).
set -eu

fix=no
if [ "${1:-}" = --fix ]; then
    fix=yes
    shift
fi
cd "${1:-$(dirname "$0")/../..}"

formatter=
for candidate in clang-format-14 clang-format; do
    if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
        formatter=$candidate
        break
    fi
done
if [ -z "$formatter" ]; then
    echo "format: skipped, clang-format 14 is not installed (Debian package clang-format-14)" >&2
    exit 77
fi

sources() {
    find . \( -name node_modules -o -name build -o -name .git \) -prune -o \
        -type f \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cpp' \) -print0
}

if [ $fix = yes ]; then
    sources | xargs -0 -r -n 40 -P 2 "$formatter" -i --style=file
    exit 0
fi
# Not --dry-run: it also reports replacements that change nothing (the comment at the end of an inline namespace).
differing=$(sources | FORMATTER=$formatter xargs -0 -r -n 40 -P 2 sh -c '
    for file; do
        "$FORMATTER" --style=file "$file" | cmp -s - "$file" || echo "${file#./}"
    done' sh | sort)
if [ -n "$differing" ]; then
    echo "$differing" | sed 's/$/: error: is not laid out as .clang-format says/'
    echo "format: run tools/dev/check_format.sh --fix"
    exit 1
fi
echo "format: fine"
