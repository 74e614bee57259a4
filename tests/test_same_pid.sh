#!/bin/sh
# Tests several processes with one process id, as in containers, on one folder of --parts: each keeps its own
# drafts.
# usage: test_same_pid.sh [FOLDER]     FOLDER holds the built examples; TAP
. tests/test.sh
examples "$1"
rounds() { # COMMAND...: three rounds of four workers; prints workers that failed, false records and drafts left behind
    failed=0 records=0 left=0
    for round in 1 2 3; do
        rm -rf "$tmp/run"
        mkdir "$tmp/run"
        workers=
        for worker in 1 2 3 4; do
            "$@" no3 --n 7 --parts 20 --folder "$tmp/run" --backend cpu --threads 1 --quiet >"$tmp/out$worker" 2>"$tmp/err$worker" &
            workers="$workers $!"
        done
        for worker in $workers; do
            wait "$worker"
            case $? in 0 | 3) ;; *) failed=$((failed + 1)) ;; esac # 3: the last parts are at work elsewhere
        done
        grep -q '^ "all": 132,' "$tmp/run/record.json" || records=$((records + 1))
        left=$((left + $(ls "$tmp/run" | grep -vc '^part-[0-9]*\.\(ck\|ck.bak\|json\)$\|^record.json$\|^run.txt$')))
    done
    echo "$failed $records $left"
}

# every process has id 1 and the same host name
cat >"$tmp/one.c" <<END
#include <string.h>
#include <unistd.h>
pid_t getpid(void) { return 1; }
int gethostname(char *name, size_t size) { strncpy(name, "host", size); return 0; }
END
if ${CC:-cc} -shared -fPIC "$tmp/one.c" -o "$tmp/one.so" 2>/dev/null &&
    [ "$(LD_PRELOAD=$tmp/one.so sh -c 'echo $$' 2>/dev/null)" = 1 ] &&
    LD_PRELOAD=$tmp/one.so "$bin/combgpu" --version >/dev/null 2>&1; then
    is "$(rounds env "LD_PRELOAD=$tmp/one.so" "$bin/combgpu")" "0 0 0" "four processes of one id at a time"
    # what another container with that id is writing under the shortest such name
    rm -rf "$tmp/run"
    mkdir "$tmp/run"
    for file in run.txt record.json part-000000.json; do echo draft >"$tmp/run/$file.1"; done
    LD_PRELOAD=$tmp/one.so "$bin/combgpu" no3 --n 6 --parts 2 --folder "$tmp/run" --backend cpu --quiet >"$tmp/out" 2>&1
    is "$? $(cat "$tmp/run/run.txt.1" "$tmp/run/record.json.1" "$tmp/run/part-000000.json.1" 2>/dev/null | tr '\n' ' ')" \
        "0 draft draft draft " "a draft of another process is not written to"
    # names of two drafts of one process id
    name() {
        strace -f -E "LD_PRELOAD=$tmp/one.so" -e trace=openat,open "$bin/combgpu" no3 --n 5 --parts 1 --folder "$tmp/run$1" --backend cpu \
            --quiet 2>&1 >/dev/null | sed -n 's|.*/run.txt\.\(host.1.[0-9a-f]*\)".*O_EXCL.*|\1|p'
    }
    if command -v strace >/dev/null && [ -n "$(name 0)" ]; then
        one=$(name 1) two=$(name 2)
        [ "$one" != "$two" ]
        is "$?" 0 "two drafts of one process id: $one, $two"
    else
        skip "no strace" "two drafts of one process id"
    fi
else
    skip "no library can be preloaded" "four processes of one id at a time"
    skip "no library can be preloaded" "a draft of another process is not written to"
    skip "no library can be preloaded" "two drafts of one process id"
fi
if unshare -pf true 2>/dev/null; then
    is "$(rounds unshare -pf "$bin/combgpu")" "0 0 0" "four process namespaces at a time"
else
    skip "no rights to make process namespaces" "four process namespaces at a time"
fi
tap_end
