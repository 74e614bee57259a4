#!/bin/sh
# Tests perm --items: words instead of numbers; repeated ones make a multiset.
# usage: test_items.sh [FOLDER]     FOLDER holds the built examples; TAP
. tests/test.sh
examples "$1"
perm() { run perm --backend cpu --threads 1 "$@"; }
lines() { tr '\n' ';' <"$tmp/out"; }

for family in "" "--family multiset" "--family all"; do
    perm --items "a a b" --list $family
    is "$status $(lines)" "0 a a b;a b a;b a a;" "each arrangement of a a b once ${family:+with $family}"
done
perm --items "z,a,z" --list
is "$(lines)" "z z a;z a z;a z z;" "the word that comes first is the least"
perm --items "m i s s i s s i p p i" --list
is "$status $(wc -l <"$tmp/out" | tr -d ' ') $(sort -u "$tmp/out" | wc -l | tr -d ' ')" "0 34650 34650" "Mississippi"
cp "$tmp/out" "$tmp/all"
for rank in 0 17 34649; do
    perm --items "m i s s i s s i p p i" --unrank $rank
    line=$(cat "$tmp/out")
    is "$line" "$(sed -n "$((rank + 1))p" "$tmp/all")" "--unrank $rank is that line of the list"
    perm --items "m i s s i s s i p p i" --rank "$line"
    is "$(cat "$tmp/out")" "$rank" "... and its --rank"
done
perm --items "m i s s i s s i p p i" --list --first 1000 --count 3
sed -n 1001,1003p "$tmp/all" >"$tmp/part"
cmp -s "$tmp/part" "$tmp/out"
is "$?" 0 "--first and --count go by these ranks"
a=$(printf 'a %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40)
perm --items "$a b" --list
is "$status $(wc -l <"$tmp/out" | tr -d ' ')" "0 41" "forty-one words, two of them different"
perm --items "$a b" --rank "b $a"
is "$(cat "$tmp/out")" 40 "the last of their ranks"

# read back in each format
for format in text csv jsonl npy json; do
    [ $format = json ] && as=--json || as="--format $format"
    perm --items "red 7 red p1" --list $as
    cp "$tmp/out" "$tmp/list"
    perm --items "red 7 red p1" --check "$tmp/list"
    is "$status $(cat "$tmp/out")" "0 12 of 12 are members, in order" "--check reads $format"
done
echo "red red red p1" >"$tmp/list"
perm --items "red 7 red p1" --check "$tmp/list"
is "$status $(lines)" "1 0 of 1 are members;number 1 is not one;" "--check: a word too often"

# families, of words that differ
perm --items "a b c" --family partial --k 2 --list
is "$(lines)" "a b;a c;b a;b c;c a;c b;" "--family partial"
perm --items "a b c d" --family combination --k 3 --list --json
cp "$tmp/out" "$tmp/list"
is "$(sed 's/, "count".*//' "$tmp/out")" '{"members": [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "d"], ["b", "c", "d"]]' "--family combination"
perm --items "a b c d" --family combination --k 3 --check "$tmp/list"
is "$status $(cat "$tmp/out")" "0 4 of 4 are members, in order" "... read back"
perm --items "a b" --repeats "2 1" --list
is "$(lines)" "a a b;a b a;b a a;" "--repeats"
perm --items "x y z" --unrank 5 --json
is "$(cat "$tmp/out")" '{"status": "ok", "permutation": ["z", "y", "x"]}' "--unrank of words that differ"

# what has no meaning is refused
while IFS='|' read -r why arguments; do
    eval "perm $arguments"
    is "$status $(grep -c -e "$why" "$tmp/err")" "2 1" "perm $arguments: $why"
done <<'END'
items has "a" twice; with --k, words differ|--items "a a b" --k 2 --list
items has "a" twice; with --family derangement, words differ|--items "a a b" --family derangement --list
items has "b" twice; with --repeats, words differ|--items "a b b" --repeats "1 2" --list
items has 2 words, but --repeats says how often each of 3|--items "a b" --repeats "1 2 3" --list
unrank is 3; the set has 3 members|--items "a a b" --unrank 3
rank is not a member of the set|--items "a a b" --rank "a b b"
"x" is not in --items|--items "a a b" --rank "a x b"
rank has 2 numbers; members have 3|--items "a a b" --rank "a b"
items has 3 words, and --n is 2|--items "a a b" --n 2 --list
items cannot be combined with --next|--items "a a b" --next "a a b"
items needs --list, --check, --rank or --unrank|--items "a a b"
END
tap_end
