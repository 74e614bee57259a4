#!/bin/sh
# Tests the examples of searches with callbacks against published numbers, each on the device that it chooses.
# usage: test_search_examples.sh [FOLDER]    FOLDER holds the built examples
# COMBGPU_TEST_SLOW=1 adds those that take seconds.
. tests/test.sh
examples "$1"

# NAME EXPECTED COMMAND...: the output has a line that contains EXPECTED
finds() {
    name=$1 want=$2
    shift 2
    "$@" >"$tmp/out" 2>&1
    grep -qF -- "$want" "$tmp/out"
    point $? "$name"
}

finds '12 queens: 14,200 (OEIS A000170)' '12 queens: 14200 solutions' "$bin/queens" 12
finds '14: 365,596' '14 queens: 365596 solutions' "$bin/queens" 14
finds 'the first of them' '0 2 4 7 9 11 5 10 1 6 8 3' "$bin/queens" 12
finds '3 queens: none' '3 queens: 0 solutions' "$bin/queens" 3
finds 'Costas arrays of order 10: 2,160 (A008404)' ' 2160 Costas' "$bin/costas" 10
finds 'of order 12: 7,852' ' 7852 Costas' "$bin/costas" 12
finds 'of order 13: 12,828' ' 12828 Costas' "$bin/costas" 13
finds 'all-interval rows of 12 notes: 3,856 (A141599)' ' 3856 all-interval' "$bin/all_interval" 12
finds 'graceful permutations of 12: 1,328 (A006967)' ' 1328 graceful' "$bin/all_interval" 12
finds 'of 8 notes: 24' ' 24 all-interval' "$bin/all_interval" 8
finds 'Langford pairs: 11: 17,792 (A014552)' ' 17792 rows' "$bin/langford" 11
finds '8: 150' ' 150 rows' "$bin/langford" 8
finds '9: none' ' 0 rows' "$bin/langford" 9
finds '123 avoided: Catalan number 16,796' '16796 permutations of 10 avoid 123' "$bin/patterns" 10
finds '1324 avoided: 591,950 (A061552)' '591950 permutations of 10 avoid 1324' "$bin/patterns" 10
finds 'nug12: 578' 'least cost 578, proven' "$bin/assignment"
finds 'chr12a: 9,552' 'least cost 9552, proven' "$bin/assignment" tests/data/qaplib/chr12a.dat
finds 'had12: 1,652' 'least cost 1652, proven' "$bin/assignment" tests/data/qaplib/had12.dat
finds 'tai12a: 224,416' 'least cost 224416, proven' "$bin/assignment" tests/data/qaplib/tai12a.dat
finds 'total tardiness: 370 (Pinedo)' 'total tardiness 370' "$bin/tardiness"
finds 'draws of 6 of 49 with the sum 150: 165,772 (counted by a table of sums)' '165772 draws' "$bin/sums" 6 150
finds "a file other than QAPLIB's" 'a file of QAPLIB' "$bin/assignment" tests/data/qaplib/README.txt
file=$tmp/file
echo '2 0 3000000000 3000000000 0 0 1 1 0' >"$file"
finds 'numbers above a million, whose costs were wrong' 'a file of QAPLIB' "$bin/assignment" "$file"
echo '2 0 1 1 0 0 1 1 0 5' >"$file"
finds 'a number too many' 'a file of QAPLIB' "$bin/assignment" "$file"
finds 'two files' 'a file of QAPLIB' "$bin/assignment" tests/data/qaplib/chr12a.dat "$file"
if [ -n "$COMBGPU_TEST_SLOW" ]; then
    finds '16 queens: 14,772,512' '16 queens: 14772512 solutions' "$bin/queens" 16
    finds 'Costas arrays of order 14: 17,252' ' 17252 Costas' "$bin/costas" 14
    finds 'Langford pairs: 12: 108,144' ' 108144 rows' "$bin/langford" 12
    finds '123 avoided by 13: 742,900' '742900 permutations of 13 avoid 123' "$bin/patterns" 13
    finds '1324 avoided by 11: 3,824,112' '3824112 permutations of 11 avoid 1324' "$bin/patterns" 11
fi
tap_end
