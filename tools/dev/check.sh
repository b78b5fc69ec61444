#!/bin/sh
# Runs every check of the source tree. Nothing needs to be built. Each is also a test of its own: ctest -R '^dev\.'
set -u

here=$(dirname "$0")
failed=
run() {
    name=$1
    shift
    "$@"
    status=$?
    # 77: skipped, the tool is not installed.
    [ $status -eq 0 ] || [ $status -eq 77 ] || failed="$failed $name"
}
run layering "$here/check_layering.py"
run size "$here/check_size.py"
run words "$here/check_words.py"
run abi "$here/check_abi.py"
run vectors "$here/golden_histogram.py" --check
run format "$here/check_format.sh"
run headers "$here/check_headers.py"
if [ -n "$failed" ]; then
    echo "failed:$failed"
    exit 1
fi
