#!/bin/sh
# Fuzzes all readers of untrusted input (tests/fuzz/fuzz.c) with libFuzzer and clang's checks of addresses,
# undefined behaviour and float conversions; and runs the corpus with gcc's.
# usage: fuzz.sh [SECONDS]   per target (60, or $FUZZ_SECONDS). Environment: SEED=1, another gives other inputs;
#        JOBS=2, targets at a time; LEVEL=-O1 of optimisation, -O0 builds two minutes faster and fuzzes slower. TAP.
seconds=${1:-${FUZZ_SECONDS:-60}}
cd "$(dirname "$0")/.." || exit 2
. tests/test.sh
out=${FUZZ_OUT:-build/fuzz}
mkdir -p "$out" && rm -f "$out"/*.status || exit 2
checks="${LEVEL:--O1} -g -w -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all"

# Both programs hold all targets; they are built side by side.
clang -std=c99 $checks -fsanitize=fuzzer tests/fuzz/fuzz.c -o "$out/fuzz" >"$out/clang.log" 2>&1 &
gcc -std=c99 $checks -DREPLAY tests/fuzz/fuzz.c -o "$out/replay" >"$out/gcc.log" 2>&1
point $? "built by gcc" "$out/gcc.log"
if wait $!; then fuzzer=yes; else fuzzer=; fi
printf 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }\n' >"$out/try.c"
if clang -fsanitize=fuzzer "$out/try.c" -o "$out/try" 2>/dev/null; then
    [ "$fuzzer" ]
    point $? "built by clang" "$out/clang.log"
else
    fuzzer=
fi

targets="tsplib checkpoint tour desc rle line points words"
export out seconds SEED
[ -z "$fuzzer" ] || printf '%s\n' $targets | xargs -P "${JOBS:-2}" -I TARGET sh -c '
    mkdir -p "$out/TARGET"
    set -- "$out/TARGET"
    [ ! -d tests/fuzz/corpus/TARGET ] || set -- "$@" tests/fuzz/corpus/TARGET
    FUZZ=TARGET "$out/fuzz" -seed="${SEED:-1}" -max_total_time="$seconds" -max_len=400 -len_control=0 \
        -rss_limit_mb=2048 -timeout=300 -artifact_prefix="$out/" "$@" >"$out/TARGET.log" 2>&1
    echo $? >"$out/TARGET.status"'
for target in $targets; do
    [ -z "$fuzzer" ] || point "$(cat "$out/$target.status")" "$target: $seconds s" "$out/$target.log"
    FUZZ=$target "$out/replay" $(find "tests/fuzz/corpus/$target" -type f 2>/dev/null) >"$out/$target.gcc" 2>&1
    point $? "$target: the corpus, built by gcc" "$out/$target.gcc"
done
tap_end
