#!/bin/sh
# Installs the Python package from the sources into a new virtual environment; runs its unit tests as TAP.
# environment: PYTHON=python3; ASAN=1 also builds it with clang's address sanitizer, for what C calls and keeps (40 s)
. tests/test.sh
root=$PWD
python=${PYTHON:-python3}
"$python" -m venv "$tmp/venv" >"$tmp/log" 2>&1 || skip_all "no python3 with venv and pip"
"$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
    skip_all "no Python.h"
pip() { "$tmp/venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
# cffi stands for all packages that have to be fetched
pip download --retries 1 --no-deps -d "$tmp/fetched" cffi >"$tmp/log" 2>&1 || skip_all "no packages can be fetched"

# ---- install

find examples/python | sort >"$tmp/sources"
# not optimised, which is not what is tested; clang takes a third of gcc's time
if [ -z "$CC" ] && echo 'int main(void) { return 0; }' | clang -x c - -o "$tmp/try" 2>/dev/null; then export CC=clang; fi
export CFLAGS=-O0 COMBGPU_BACKENDS="${COMBGPU_BACKENDS:-opencl}"
pip install "$root/examples/python" >"$tmp/log" 2>&1
point $? "pip install ./examples/python"
find examples/python | sort | diff "$tmp/sources" - >"$tmp/log"
point $? "nothing is left among the sources"
"$tmp/venv/bin/python" -c 'import combgpu; print(combgpu.__version__)' >"$tmp/version" 2>"$tmp/log"
grep -qx "$(sed -n 's/.*COMBGPU_VERSION_STRING "\(.*\)"/\1/p' combgpu.h)" "$tmp/version"
point $? "import combgpu"

# ---- the unit tests: without NumPy, and with it if it can be had

unit_tests() { # NAME FILE...
    name=$1
    shift
    modules=$(basename -s .py "$@")
    (cd "$tmp" && PYTHONPATH=$root/examples/python/tests "$tmp/venv/bin/python" -m unittest -v $modules) >"$tmp/log" 2>&1
    status=$?
    awk -v name="$name" -v number="$number" '
        / \.\.\. / { test = $1 }
        /(^| )ok$/ && test { print "ok " ++number " - " name ": " test; test = ""; next }
        / \.\.\. skipped / { sub(/.* skipped /, ""); print "ok " ++number " - " name ": " test " # SKIP " $0; test = ""; next }
        /(^| )(FAIL|ERROR)$/ && test { print "not ok " ++number " - " name ": " test; test = "" }
    ' "$tmp/log" >"$tmp/points"
    cat "$tmp/points"
    number=$((number + $(wc -l <"$tmp/points")))
    failed=$((failed + $(grep -c '^not ok' "$tmp/points")))
    [ $status -eq 0 ] && [ "$(wc -l <"$tmp/points")" -eq "$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$tmp/log")" ]
    point $? "$name: all of them ran"
}

export PYTHONDONTWRITEBYTECODE=1
# Stops and signals involve no arrays, and their tests mostly wait: they run once, with NumPy if it is there.
unit_tests "plain Python" examples/python/tests/test_[!rs]*.py examples/python/tests/test_read.py examples/python/tests/test_search.py
if pip install --only-binary :all: numpy >"$tmp/log" 2>&1; then
    for more in networkx pandas numba; do # tests that need one of them skip without it
        pip install --only-binary :all: $more >"$tmp/log" 2>&1
    done
    unit_tests "NumPy" examples/python/tests/test_*.py
    sed -n '/^```python$/,/^```$/{/^```/d;p};/^| function/q' "$root/examples/python/README.md" >"$tmp/readme.py"
    (cd "$tmp" && "$tmp/venv/bin/python" readme.py) >"$tmp/log" 2>&1 && grep -q combgpu "$tmp/readme.py"
    point $? "the first block of the package's README, as pasted"
else
    unit_tests "stops and signals" examples/python/tests/test_run.py examples/python/tests/test_signals.py
    number=$((number + 1))
    echo "ok $number - NumPy # SKIP it cannot be fetched"
fi

# ---- the program of the front page, and the pictures

sh -c 'bash .ci/readme_commands README.md "$1" >"$1/commands" && cd "$1" && venv/bin/python first.py' sh "$tmp" \
    >"$tmp/log" 2>&1 && grep -qxF '14.0 0 2 1 3 True' "$tmp/log"
point $? "the program of the README"

(cd "$tmp" && "$tmp/venv/bin/python" "$root/examples/python/pictures.py" pictures) >"$tmp/log" 2>&1 &&
    "$tmp/venv/bin/python" -c '
import sys, xml.dom.minidom
for path in sys.argv[1:]: xml.dom.minidom.parse(path)
sys.exit(len(sys.argv) != 6)' "$tmp"/pictures/*.svg >>"$tmp/log" 2>&1
point $? "five pictures are drawn, as XML"

(cd "$tmp" && "$tmp/venv/bin/python" "$root/examples/python/search.py" 8) >"$tmp/log" 2>&1 &&
    grep -q "8 queens: 92 " "$tmp/log" && grep -q "8 x 8: 444 Costas" "$tmp/log" && grep -q "by a function.*: 92" "$tmp/log"
point $? "queens and Costas arrays"

# ---- what the garbage collector frees, and in which order, under the address sanitizer

if [ "$ASAN" = 1 ]; then
    CC=clang CFLAGS="-O1 -fsanitize=address -shared-libasan" COMBGPU_BACKENDS=cpu \
        pip install --no-deps --target "$tmp/asan" "$root/examples/python" >"$tmp/log" 2>&1 &&
        (cd "$tmp" && LD_PRELOAD=$(clang -print-file-name="libclang_rt.asan-$(uname -m).so") ASAN_OPTIONS=detect_leaks=0 \
            PYTHONPATH="$tmp/asan" "$tmp/venv/bin/python" -m unittest discover -v -s "$root/examples/python/tests" \
            -t "$root/examples/python/tests" -k Garbage -k Addresses -k Files -k Learning) >"$tmp/log" 2>&1
    point $? "garbage, functions by their addresses and readers, with the address sanitizer"
fi

# ---- a source distribution is complete: a wheel is made of it far from the repository

pip install build 'setuptools>=77' >"$tmp/log" 2>&1 &&
    "$tmp/venv/bin/python" -m build --no-isolation --sdist -o "$tmp/dist" "$root/examples/python" >"$tmp/log" 2>&1 &&
    pip wheel --no-build-isolation --no-deps -w "$tmp/dist" "$tmp"/dist/combgpu-*.tar.gz >"$tmp/log" 2>&1 && ls "$tmp"/dist/*.whl >"$tmp/log"
point $? "a wheel is made of the source distribution"

# ---- what make has compiled is not compiled again

export MAKEFLAGS=
unset CC CFLAGS COMBGPU_BACKENDS
if make -q build/combgpu.o >"$tmp/log" 2>&1; then
    pip install -vv --no-build-isolation --no-deps --target "$tmp/made" "$root/examples/python" >"$tmp/log" 2>&1 &&
        ! grep -q '[-]o .*implementation' "$tmp/log" &&
        (cd "$tmp" && PYTHONPATH=made venv/bin/python -c 'import combgpu; assert combgpu.magic(4).count == 7040 and "/made/" in combgpu.__file__') >"$tmp/log" 2>&1
    point $? "the library is make's"
else
    skip "make has compiled none that is up to date" "the library is make's"
fi
tap_end
