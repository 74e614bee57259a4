#!/bin/sh
# Fuzzes what takes input from strangers (tests/fuzz/fuzz.c) with libFuzzer and the address, undefined
# behaviour and float conversion checks of clang; without it runs the corpus alone, with those of gcc.
# usage: fuzz.sh [RUNS [SECONDS]]   inputs per target (2000); or, with RUNS 0, seconds per target (60).
#        Another SEED in the environment gives other inputs. TAP.
runs=${1:-2000} seconds=${2:-60} seed=${SEED:-1}
cd "$(dirname "$0")/.." || exit 2
out=${FUZZ_OUT:-build/fuzz}
mkdir -p "$out" || exit 2
number=0 failed=0
checks="-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all"

point() { # STATUS NAME LOG
    number=$((number + 1))
    [ "$1" -eq 0 ] || { failed=$((failed + 1)) && printf 'not '; }
    echo "ok $number - $2"
    [ "$1" -eq 0 ] || tail -n 30 "$3" | sed 's/^/# /'
}

# Both programs hold all targets; they are built side by side. For a few inputs they are not optimised: with
# the checks that takes the compilers two minutes more.
level=-O0
[ "$runs" -gt 0 ] || level=-O1
clang -std=c99 $level -g -w $checks -fsanitize=fuzzer tests/fuzz/fuzz.c -o "$out/fuzz" >"$out/clang.log" 2>&1 &
gcc -std=c99 $level -g $checks -DREPLAY tests/fuzz/fuzz.c -o "$out/replay" >"$out/gcc.log" 2>&1
point $? "built by gcc" "$out/gcc.log"
if wait $!; then fuzzer=yes; else fuzzer=; fi
printf 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }\n' >"$out/try.c"
if clang -fsanitize=fuzzer "$out/try.c" -o "$out/try" 2>/dev/null; then
    [ "$fuzzer" ]
    point $? "built by clang" "$out/clang.log"
else
    fuzzer=
fi

fuzz() { # TARGET
    mkdir -p "$out/$1"
    if [ "$runs" -gt 0 ]; then limit=-runs=$runs; else limit=-max_total_time=$seconds; fi
    FUZZ=$1 "$out/fuzz" -seed="$seed" $limit -max_len=400 -len_control=0 -rss_limit_mb=2048 -timeout=60 \
        -artifact_prefix="$out/" "$out/$1" $([ -d "tests/fuzz/corpus/$1" ] && echo "tests/fuzz/corpus/$1") \
        >"$out/$1.log" 2>&1
}

for pair in "tsplib checkpoint" "tour desc" "rle line" "points words"; do # two at a time
    second=${pair#* } first=${pair% *}
    if [ "$fuzzer" ]; then
        fuzz "$second" &
        fuzz "$first"
        point $? "$first: $([ "$runs" -gt 0 ] && echo "$runs inputs" || echo "$seconds s")" "$out/$first.log"
        wait $!
        point $? "$second: $([ "$runs" -gt 0 ] && echo "$runs inputs" || echo "$seconds s")" "$out/$second.log"
    fi
    for target in $pair; do
        FUZZ=$target "$out/replay" $(find "tests/fuzz/corpus/$target" -type f 2>/dev/null) >"$out/$target.log" 2>&1
        point $? "$target: the corpus, built by gcc" "$out/$target.log"
    done
done
echo "1..$number"
[ "$failed" -eq 0 ]
