# Helpers of all shell tests: points of TAP, and the command with its output. Sourced from the repository's root:
#   . tests/test.sh
#   examples "$1"     where the command is run: sets bin
#   ...
#   tap_end
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
number=0 failed=0

examples() { # [FOLDER]: holds the built examples; by default $COMBGPU_BUILD/examples, or build/examples
    bin=${1:-${COMBGPU_BUILD:-build}/examples}
    bin=$(cd "$bin" 2>/dev/null && pwd) || { echo "Bail out! no folder with built examples"; exit 2; }
}

point() { # STATUS NAME [FILE...]: passed if STATUS is 0; else the ends of the files follow, or of out, err and log
    number=$((number + 1))
    [ "$1" -eq 0 ] || { failed=1 && printf 'not '; }
    printf '%s\n' "ok $number - $2"
    [ "$1" -ne 0 ] || return 0
    shift 2
    [ $# -gt 0 ] || set -- "$tmp/out" "$tmp/err" "$tmp/log"
    for file; do tail -n 20 "$file" 2>/dev/null | sed 's/^/# /'; done
}

is() { # GOT WANT NAME
    [ "$1" = "$2" ]
    point $? "$3"
    [ "$1" = "$2" ] || printf '#   got "%s", want "%s"\n' "$1" "$2"
}

skip() { # REASON NAME
    number=$((number + 1))
    echo "ok $number - $2 # SKIP $1"
}

skip_all() { # REASON
    echo "1..0 # SKIP $1"
    exit 0
}

run() { # COMMAND ARGUMENT...: sets status; output in $tmp/out and $tmp/err
    "$bin/combgpu" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

value() { # KEY: of the JSON object in $tmp/out, which is one line
    sed -n "s/.*[{ ]\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p" "$tmp/out"
}

says() { # TEXT NAME: the command's output, or what it said on standard error, has it
    cat "$tmp/out" "$tmp/err" | grep -qF -- "$1"
    point $? "$2"
}

tap_end() {
    echo "1..$number"
    exit $failed
}
