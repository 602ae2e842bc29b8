# For the experiments that run on our own hypervisor: boots the box arm64-hyp and reads what perf in it
# and the hypervisor outside it say. Sourced by experiments/*/on_hyp.
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

# hyp_box "OPTIONS" SCRIPT: runs SCRIPT in the box; its output is in $scratch/out, the hypervisor's
# record in $scratch/record.
hyp_box() {
    local options=()
    [ -z "$1" ] || readarray -t -d '|' options < <(printf %s "$1")
    "$ringside" guest run arm64-hyp --with-build "$tree/build/arm64" --console "$scratch/console" \
        "${options[@]}" -- sh -c "$2" > "$scratch/out" 2> "$scratch/err" ||
        { cat "$scratch/err" >&2; exit 1; }
    grep '^hyp: ' "$scratch/console" | tr -d '\r' > "$scratch/record"
}

# hyp_record KIND KEY: from the first line of that kind, or the guest's that is called linux.
hyp_record() {
    awk -v kind="$1" -v key="$2=" '
        $2 == kind && (kind != "guest" || $3 == "name=linux") {
            for (i = 3; i <= NF; ++i) if (index($i, key) == 1) { print substr($i, length(key) + 1); exit }
        }' "$scratch/record"
}

# What `perf stat -x,` counted, in the order of its events.
perf_counts() { awk -F, 'NF > 5 { print $1 }' "$scratch/out"; }

. "$tree/experiments/expect.sh"
