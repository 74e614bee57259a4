#!/bin/sh
# Tries the recipe of src/README.md: its steps alone add a fifth search, Golomb rulers (tests/fifth), to a
# copy of src/, which keeps the contract of all searches.
# usage: fifth.sh      TAP; CC: the compiler
cd "$(dirname "$0")/.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
number=0
point() { # NAME COMMAND...
    name=$1
    number=$((number + 1))
    shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $number - $name"; else
        echo "not ok $number - $name"
        sed 's/^/# /' "$tmp/log" | tail -n 25
    fi
}
cp -R src LICENSE "$tmp"
mkdir "$tmp/tests"
cp -R tests/*.h tests/searches tests/inside.c tests/test_contract.c tests/walls.sh "$tmp/tests"

# ---- the steps: a folder and a line; for its test, a file of rows and their include
cp -R tests/fifth/golomb "$tmp/src/golomb"
echo 'SEARCH(golomb, GOLOMB, golomb)' >>"$tmp/src/searches.h"
cp tests/fifth/rows.h "$tmp/tests/searches/golomb.h"
awk '{ print } /^#include "searches\/tsp.h"/ { print "#endif\n#ifdef COMBGPU__HAS_GOLOMB\n#include \"searches/golomb.h\"" }' \
    tests/searches.h >"$tmp/tests/searches.h"

cd "$tmp" || exit 2
compiler="${CC:-cc} -std=c99"
lines=$(cat src/golomb/* tests/searches/golomb.h | wc -l)
point "the room and its rows have $lines lines, at most 250" [ "$lines" -le 250 ]
point "src/amalgamate makes the files at the top" src/amalgamate
point "it makes a small file" src/amalgamate --only golomb
point "which is silent" $compiler -O0 -DCOMBGPU_IMPLEMENTATION -Wall -Wextra -pedantic -Werror -fsyntax-only -x c combgpu_golomb.h
point "C: silent" $compiler -O0 -Wall -Wextra -Wconversion -Wshadow -pedantic -Werror -fsyntax-only tests/inside.c
point "C++: silent" c++ -x c++ -std=c++11 -O0 -Wall -Wextra -Wconversion -Wshadow -pedantic -Werror -fsyntax-only \
    tests/inside.c
point "the rooms keep their walls" sh tests/walls.sh --only src
point "the search compiles without the others" $compiler -O1 -DCOMBGPU_DEBUG -DCOMBGPU_ONLY_GOLOMB -c tests/inside.c \
    -o inside.o
point "the contract's test compiles" $compiler -O0 -DCOMBGPU_ONLY_GOLOMB -DCOMBGPU__IMPLEMENTED tests/test_contract.c \
    inside.o -o contract -pthread
point "no other search is in" sh -c '! nm inside.o | grep -E "combgpu_+(magic|no3|perm|tsp)_"'

# ---- the contract: its points are this test's
COMBGPU_TEST_SMALL=1 ./contract | awk -v number=$number '
    /^1\.\./ { plan = substr($0, 4); next }
    /^(not )?ok / { n++; sub(/ok [0-9]+/, "ok " (number + n)) }
    { print }
    END { print (plan == n && n ? "ok " : "not ok ") (number + n + 1) " - the contract ran to its end"
          print "1.." (number + n + 1) }'
