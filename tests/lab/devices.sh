# shellcheck shell=bash
# Loop devices, zram devices and ext4 file systems for shell tests; sourced, not run. Needs root.
#
#     . tests/lab/devices.sh
#     lab_begin                      # once; sets LAB_DIR, a directory of this test's own
#     lab_loop LOOP 64               # 64 MiB -> LOOP=/dev/loop3
#     lab_zram ZRAM 256              # 256 MiB -> ZRAM=/dev/zram1
#     lab_ext4 MNT 128               # 128 MiB -> MNT=directory of a fresh, mounted ext4
#
# Everything is taken back when the shell ends, also by kill -9: every step is noted in LAB_DIR/undo, and a guard in a
# session of its own undoes what is noted once the shell is gone. lab_end does it earlier.

LAB_TMP=${TMPDIR:-/tmp}

# Undoes what the file says, last first; what is gone already is fine.
lab_undo() {
    local directory=$1 kind what
    [ -r "$directory/undo" ] || return 0
    tac "$directory/undo" | while read -r kind what; do
        for _ in {1..50}; do # whoever was killed may not be gone yet
            case $kind in
            mount) mountpoint -q "$what" || break; umount "$what" 2>/dev/null && break ;;
            loop) [ -e "/sys/block/$what/loop" ] || break; losetup -d "/dev/$what" 2>/dev/null && break ;;
            zram)
                [ -e "/sys/block/zram$what" ] || break
                echo 1 2>/dev/null >"/sys/block/zram$what/reset" &&
                    echo "$what" 2>/dev/null >/sys/class/zram-control/hot_remove && break
                ;;
            *) break ;;
            esac
            sleep 0.2
        done
    done
    rm -rf --one-file-system "$directory"
}

lab_begin() {
    [ "$(id -u)" = 0 ] || {
        echo "tests/lab: needs root to make devices" >&2
        return 1
    }
    LAB_DIR=$(mktemp -d "$LAB_TMP/assay-lab.XXXXXX") || return 1
    : >"$LAB_DIR/undo"
    echo $$ >"$LAB_DIR/owner"
    # In a subshell that ends at once, so that a killer of the test's process tree does not find the guard in it.
    (
        # shellcheck disable=SC2016 # that shell expands it
        setsid bash -c '. "$1"; tail -s 0.1 --pid="$2" -f /dev/null; lab_undo "$3"' guard "${BASH_SOURCE[0]}" "$$" "$LAB_DIR" \
            </dev/null >/dev/null 2>&1 &
    )
    trap lab_end EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}

lab_end() {
    trap - EXIT
    [ -z "${LAB_DIR:-}" ] || lab_undo "$LAB_DIR"
    LAB_DIR=
}

lab_note() { echo "$1 $2" >>"$LAB_DIR/undo"; }

# lab_loop VARIABLE MIB
lab_loop() {
    local file device
    file=$(mktemp "$LAB_DIR/loop.XXXXXX") || return 1
    truncate -s "$2M" "$file" || return 1
    device=$(losetup -f --show "$file") || return 1
    lab_note loop "${device#/dev/}"
    printf -v "$1" %s "$device"
}

# lab_zram VARIABLE MIB
lab_zram() {
    local number
    [ -r /sys/class/zram-control/hot_add ] || modprobe zram num_devices=0 2>/dev/null || true
    number=$(cat /sys/class/zram-control/hot_add 2>/dev/null) || {
        echo "tests/lab: this kernel has no zram" >&2
        return 1
    }
    lab_note zram "$number"
    echo "$2M" >"/sys/block/zram$number/disksize" || return 1
    printf -v "$1" %s "/dev/zram$number"
}

# lab_ext4 VARIABLE MIB
lab_ext4() {
    local lab_device point
    lab_loop lab_device "$2" || return 1
    mkfs.ext4 -q "$lab_device" || return 1
    point=$(mktemp -d "$LAB_DIR/ext4.XXXXXX") || return 1
    lab_note mount "$point"
    mount "$lab_device" "$point" || return 1
    printf -v "$1" %s "$point"
}

# What tests left behind whose shell and guard are both gone, after a crash of the machine's session say.
lab_sweep() {
    local directory owner
    for directory in "$LAB_TMP"/assay-lab.??????; do
        owner=$(cat "$directory/owner" 2>/dev/null) || continue
        [ -d "/proc/$owner" ] || lab_undo "$directory"
    done
}
