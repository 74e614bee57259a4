#!/bin/sh
# Builds for other machines and runs in qemu: 64-bit and 32-bit ARM, big-endian s390x, static musl; and with
# unusual options of gcc and clang. Each build passes tests, gives this machine's answers, and resumes
# checkpoints of another. Missing tools are a visible SKIP.
# usage: platforms.sh      with PLATFORMS=all: more machines and options, and test programs there. TAP
cd "$(dirname "$0")/.." || exit 2
export COMBGPU_TEST_SMALL=1
limit=${PLATFORM_TIMEOUT:-400}
number=0 failed=0

# NAME COMPILER RUNNER TESTS
table() {
    cat <<T
here|gcc -O1||
aarch64|aarch64-linux-gnu-gcc -O1 -static|qemu-aarch64-static|api engine
armhf|arm-linux-gnueabihf-gcc -O1 -static|qemu-arm-static|api
s390x|s390x-linux-gnu-gcc -O1 -static|qemu-s390x-static|api
musl|musl-gcc -O1 -static||api
gcc_lto|gcc -O3 -flto=auto||
clang_lto|clang -O3 -flto||
fast_math|gcc -O2 -ffast-math||
T
}

chosen() { # without PLATFORMS=all other processors alone, and no test programs on ARM
    if [ "$PLATFORMS" = all ]; then table; else table | sed -n '/^here/p; /^a/s/[^|]*$//p; /^s390x/p'; fi
}

there() { # WORD...
    [ -z "$1" ] || command -v "${1%% *}" >/dev/null
}

build_and_test() { # NAME COMPILER RUNNER TESTS
    folder=$tmp/$1
    mkdir "$folder"
    {
        $2 -std=c99 -c tests/inside.c -o "$folder/combgpu.o" &&
            $2 -std=c99 -DCOMBGPU__IMPLEMENTED tests/travel.c "$folder/combgpu.o" -o "$folder/travel" &&
            timeout "$limit" $3 "$folder/travel" end >"$folder/answers"
    } >"$folder/travel.log" 2>&1
    for test in $4; do
        own="-DCOMBGPU__IMPLEMENTED $folder/combgpu.o"
        ! grep -q '^#define TEST_OWN_IMPLEMENTATION' "tests/test_$test.c" || own=
        $2 -std=c99 "tests/test_$test.c" $own -o "$folder/$test" >"$folder/$test.log" 2>&1 &&
            timeout "$limit" $3 "$folder/$test" >"$folder/$test.log" 2>&1 || : >"$folder/$test.failed"
    done
}

point() { # STATUS NAME LOG
    number=$((number + 1))
    [ "$1" -eq 0 ] || { failed=$((failed + 1)) && printf 'not '; }
    echo "ok $number - $2"
    [ "$1" -eq 0 ] || { grep '^not ok' "$3" || tail -n 10 "$3"; } | sed 's/^/# /'
}

if [ "$1" = --one ]; then # FOLDER NAME
    tmp=$2
    grep "^$3|" "$tmp/list" | {
        IFS='|' read -r name compiler runner tests
        build_and_test "$name" "$compiler" "$runner" "$tests" </dev/null
    }
    exit
fi
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
chosen | {
    while IFS='|' read -r name compiler runner tests; do
        if there "$compiler" && there "$runner"; then
            echo "$name|$compiler|$runner|$tests" >>"$tmp/list"
        else
            number=$((number + 1))
            echo "ok $number - $name # SKIP $compiler or $runner is not installed"
        fi
    done
    cut -d '|' -f 1 "$tmp/list" | xargs -P "$(nproc)" -I '{}' sh tests/platforms.sh --one "$tmp" '{}'
    while IFS='|' read -r name compiler runner tests; do
        cmp -s "$tmp/here/answers" "$tmp/$name/answers"
        point $? "$name: every search gives the same answer" "$tmp/$name/travel.log"
        for test in $tests; do
            [ ! -e "$tmp/$name/$test.failed" ]
            point $? "$name: $test" "$tmp/$name/$test.log"
        done
    done <"$tmp/list"

    # all in turn work on the same checkpoints; then each brings a copy of them to the end
    mkdir "$tmp/road"
    while IFS='|' read -r name compiler runner tests; do
        timeout "$limit" $runner "$tmp/$name/travel" piece "$tmp/road" </dev/null >"$tmp/$name/travel.log" 2>&1
        point $? "$name goes on with checkpoints of the one before" "$tmp/$name/travel.log"
    done <"$tmp/list"
    while IFS='|' read -r name compiler runner tests; do
        timeout "$limit" $runner "$tmp/$name/travel" end "$tmp/road" </dev/null >"$tmp/$name/ends" \
            2>"$tmp/$name/travel.log"
        diff "$tmp/here/answers" "$tmp/$name/ends" >>"$tmp/$name/travel.log"
        point $? "$name ends what all began: the same answers" "$tmp/$name/travel.log"
    done <"$tmp/list"
    echo "1..$number"
    [ "$failed" -eq 0 ]
}
