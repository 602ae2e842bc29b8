# For the experiments that run in the lab: finds the command and reads its JSON, which has one value a
# line. Sourced by experiments/*/run.

# lab_command "$@": `--on lab [RINGSIDE]` sets $ringside.
lab_command() {
    if [ "${1:-}" != --on ] || [ "${2:-}" != lab ]; then
        echo "usage: $0 --on lab [RINGSIDE]" >&2
        exit 2
    fi
    ringside=${3:-$(dirname "${BASH_SOURCE[0]}")/../build/release/ringside}
    [ -x "$ringside" ] || { echo "$0: no $ringside; run ./quickstart" >&2; exit 2; }
}

# lab_json SCENARIO [POLICY]
lab_json() {
    "$ringside" lab run "$1" ${2:+--policy "$2"} --json
}

# The n-th number of a key, counted from 1, of the JSON on stdin.
number_of() {
    awk -v key="\"$1\":" -v n="${2:-1}" '
        $1 == key && $2 ~ /^[0-9.]+,?$/ && ++seen == n { sub(/,$/, "", $2); print $2; exit }'
}

. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
