#!/bin/sh
# Proves structured tours of 10 to 30 cities by the library and by CP-SAT (tests/oracle/cpsat.py) from PyPI:
# PYTHON has it, or this run makes a virtual environment.
# usage: cpsat.sh [CASES [SEED]]   300 cases, or $CASES, of seed 1 by default. TAP
cd "$(dirname "$0")/.." || exit 2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
python=${PYTHON:-python3}
if ! "$python" -c 'import ortools' 2>/dev/null; then
    python3 -m venv "$folder/venv" >/dev/null 2>&1 &&
        "$folder/venv/bin/pip" install --quiet ortools >/dev/null 2>&1 ||
        { echo "1..0 # SKIP no CP-SAT: ortools cannot be installed" && exit 0; }
    python=$folder/venv/bin/python
fi
${CLANG:-clang} -std=c99 -O1 -fPIC -shared tests/oracle/bridge.c -o "$folder/bridge.so" ||
    { echo "Bail out! the library cannot be built" && exit 1; }
"$python" tests/oracle/cpsat.py "$folder/bridge.so" "${1:-${CASES:-300}}" "${2:-1}"
