#!/bin/sh
# Binaries of OpenCL programs in the user's cache folder: oclgrind is a driver that keeps none itself.
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bin=${COMBGPU_BUILD:-build} number=0 status=0

point() { # RIGHT NAME
    number=$((number + 1)) r=ok
    [ "$1" -eq 0 ] || r='not ok' status=1
    echo "$r $number - $2"
    [ "$r" = ok ] || sed 's/^/# /' "$dir/out"
}

search() { # VARIABLE=VALUE...: the answer is right
    env "$@" oclgrind "$bin/examples/combgpu" no3 --n 4 --backend opencl >"$dir/out" 2>&1 &&
        grep -q '11 solutions, 4 up' "$dir/out"
}

kept() { # the only file, by its inode and sum
    set -- "$dir"/cache/combgpu/*
    [ $# -eq 1 ] && [ -f "$1" ] && ls -i "$1" && cksum <"$1"
}

command -v oclgrind >/dev/null || { echo '1..0 # SKIP no oclgrind' && exit; }
search XDG_CACHE_HOME="$dir/none" COMBGPU_NO_CACHE=1 || case $(cat "$dir/out") in
*'no opencl'* | *'OpenCL'*'compile'* | *'ASan runtime'*) echo '1..0 # SKIP no OpenCL, or the address sanitizer' && exit ;;
esac
[ ! -e "$dir/none" ]
point $? "COMBGPU_NO_CACHE: no file"
search XDG_CACHE_HOME="$dir/cache" && first=$(kept)
point $? "a program is kept in a folder that was missing"
search XDG_CACHE_HOME="$dir/cache" && [ "$(kept)" = "$first" ]
point $? "the next start takes it as it is"
printf 'x' | dd of="$(echo "$dir"/cache/combgpu/*)" bs=1 seek=100 conv=notrunc 2>/dev/null
search XDG_CACHE_HOME="$dir/cache" && [ "$(kept | tail -n 1)" = "$(echo "$first" | tail -n 1)" ]
point $? "a damaged file is built again"
: >"$(echo "$dir"/cache/combgpu/*)"
search XDG_CACHE_HOME="$dir/cache" && [ "$(kept | tail -n 1)" = "$(echo "$first" | tail -n 1)" ]
point $? "so is an empty one"
search XDG_CACHE_HOME="/dev/null" && search HOME="/dev/null" XDG_CACHE_HOME= && search HOME= XDG_CACHE_HOME=
point $? "a folder that cannot be made does not matter"
echo "1..$number"
exit $status
