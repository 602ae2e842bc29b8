# For the experiments that run on our own hypervisor: boots the box $kind and reads what perf in it
# and the hypervisor outside it say. Sourced by experiments/*/on_hyp.
kind=arm64-hyp
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# hyp_command "$@": `[--short] [RINGSIDE]` sets $short and $ringside.
hyp_command() {
    short=no
    [ "${1:-}" != --short ] || { short=yes; shift; }
    ringside=${1:-$tree/build/release/ringside}
    [ -x "$ringside" ] || { echo "$0: no $ringside; run ./quickstart" >&2; exit 2; }
    if ! [ -e "$tree/build/arm64/hyp/hyp.elf" ]; then
        echo "SKIP: no hypervisor; build the arm64 preset" >&2
        exit 77
    fi
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
}

# box KIND "OPTIONS" SCRIPT: runs SCRIPT in a box; its output is in $scratch/out.
box() {
    local options=()
    [ -z "$2" ] || readarray -t -d '|' options < <(printf %s "$2")
    "$ringside" guest run "$1" --with-build "$tree/build/arm64" --console "$scratch/console" \
        "${options[@]}" -- sh -c "$3" > "$scratch/out" 2> "$scratch/err" ||
        { cat "$scratch/err" >&2; exit 1; }
}
# hyp_box "OPTIONS" SCRIPT: the same on the hypervisor, whose record is in $scratch/record.
hyp_box() {
    box "$kind" "$@"
    grep '^hyp: ' "$scratch/console" | tr -d '\r' > "$scratch/record"
}

# hyp_record KIND KEY [GUEST]: from the first line of that kind, or the guest's of that name (linux).
hyp_record() {
    awk -v kind="$1" -v key="$2=" -v guest="name=${3:-linux}" '
        $2 == kind && (kind != "guest" || $3 == guest) {
            for (i = 3; i <= NF; ++i) if (index($i, key) == 1) { print substr($i, length(key) + 1); exit }
        }' "$scratch/record"
}

# What `perf stat -x,` counted, in the order of its events.
perf_counts() { awk -F, 'NF > 5 { print $1 }' "$scratch/out"; }

. "$tree/experiments/expect.sh"

# hyp_native IMAGE: a guest of hyp/tests on the machine itself; its console is in $scratch/console.
hyp_native() {
    hyp_machine virt,gic-version=3 -kernel "$tree/build/arm64/hyp/tests/$1.elf"
}
# hyp_guests BEFORE {IMAGE STATEMENTS}...: such guests on the hypervisor, 4 MiB each. BEFORE comes first
# in the manifest.
hyp_guests() {
    local base=0x42000000 loaded=()
    printf %b "$1" > "$scratch/manifest"
    shift
    while [ $# -gt 0 ]; do
        printf 'guest %s\nmemory %#x 0x400000 at 0x40000000\nentry 0x40200000\n%b' \
            "$1" $((base)) "$2" >> "$scratch/manifest"
        loaded+=(-device "$(printf 'loader,file=%s,addr=%#x,force-raw=on' \
            "$tree/build/arm64/hyp/tests/$1.bin" $((base + 0x200000)))")
        base=$((base + 0x400000))
        shift 2
    done
    printf '\0' >> "$scratch/manifest"
    hyp_machine virt,virtualization=on,gic-version=3,its=off,highmem=off,dtb-randomness=off \
        -kernel "$tree/build/arm64/hyp/hyp.elf" \
        -device "loader,file=$scratch/manifest,addr=0x40100000,force-raw=on" "${loaded[@]}"
    grep '^hyp: ' "$scratch/console" > "$scratch/record"
}
hyp_machine() {  # MACHINE ARGUMENTS...
    qemu-system-aarch64 -nodefaults -display none -no-reboot -serial stdio -machine "$1" \
        -cpu max,pauth=off,sve=off,sme=off -m 256 -icount shift=0,sleep=off "${@:2}" |
        tr -d '\r' > "$scratch/console"
}
# hyp_said KIND KEY WORD...: the value of KEY in what a guest printed, on the line KIND that has all WORDs.
hyp_said() {
    local kind=$1 key=$2
    shift 2
    sed 's/^\[[^]]*\] //' "$scratch/console" | awk -v kind="$kind" -v key="$key=" -v words="$*" '
        $1 == kind {
            value = ""
            missing = split(words, wanted, " ")
            for (i = 2; i <= NF; ++i) {
                if (index($i, key) == 1) value = substr($i, length(key) + 1)
                for (j in wanted) if ($i == wanted[j]) --missing
            }
            if (missing == 0) { print value; exit }
        }'
}
