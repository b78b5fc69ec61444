#!/usr/bin/env bash
# Runs a command with devices of its own, and takes them back however it ends.
set -euo pipefail

usage() {
    cat <<'END'
usage: tests/lab/run.sh [--loop MIB]... [--zram MIB]... [--ext4 MIB]... -- COMMAND [ARGUMENT...]

Becomes COMMAND, with LAB_LOOP_1, LAB_LOOP_2, ... (loop devices), LAB_ZRAM_1, ... (zram devices) and LAB_EXT4_1, ...
(directories of mounted ext4 file systems on loop devices) in its environment, in the order given. They are removed
within a second of its end, however it ends. Exits 77 where the machine cannot make such devices.
Needs root.
END
}

# shellcheck source=tests/lab/devices.sh
. "$(dirname "${BASH_SOURCE[0]}")/devices.sh"
unavailable() {
    echo "SKIPPED, NOT PASSED: $*" >&2
    exit 77
}

wanted=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage; exit 0 ;;
    --loop | --zram | --ext4)
        [[ ${2:-} =~ ^[0-9]+$ ]] || { echo "tests/lab/run.sh: $1 needs a size in MiB, got '${2:-}'" >&2; exit 2; }
        wanted+=("${1#--} $2")
        shift 2
        ;;
    --) shift; break ;;
    *) echo "tests/lab/run.sh: unknown argument '$1'; see --help" >&2; exit 2 ;;
    esac
done
[ $# -gt 0 ] || { echo "tests/lab/run.sh: no command after --; see --help" >&2; exit 2; }

lab_begin || unavailable "tests/lab/run.sh cannot make devices here"
declare -A counts=()
for want in "${wanted[@]}"; do
    read -r kind mib <<<"$want"
    counts[$kind]=$((${counts[$kind]:-0} + 1))
    name="LAB_${kind^^}_${counts[$kind]}"
    "lab_$kind" "$name" "$mib" || unavailable "cannot make a $kind device of $mib MiB"
    export "${name?}"
done
# Signals and the exit status are the command's own this way; the guard, which watches this process id, cleans up.
exec "$@"
