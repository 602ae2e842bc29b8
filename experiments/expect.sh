# For experiments/*: what is not as the README says is remembered; the script ends with `exit $status`.
status=0
expect() {  # WHAT WANTED GOT
    [ "$2" = "$3" ] && return
    echo "NOT AS EXPECTED: $1: $3 instead of $2" >&2
    status=1
}
