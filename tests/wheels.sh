#!/bin/sh
# Installs the wheels of `make wheels` in bare environments of every CPython of this machine, on 64-bit ARM in qemu and
# on Windows by Wine, and asks each for known answers. auditwheel and abi3audit of PyPI look at what they need. TAP;
# missing tools are a visible SKIP.
# usage: wheels.sh             environment: WHEELS=build/wheels
#   PYTHONS="python3 ..."      by default those in PATH, in ~/.pyenv, and Debian's
#   WINDOWS_PYTHON=FOLDER      with python.exe, such as python.org's embeddable package
. tests/test.sh
root=$PWD
wheels=${WHEELS:-build/wheels}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/combgpu-ci
python=$cache/wheels/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1 PYTHONDONTWRITEBYTECODE=1
[ -d "$wheels" ] && [ -x "$python" ] || skip_all "no wheels: make wheels"
wheel() { ls "$wheels"/combgpu-*-"$1".whl 2>/dev/null; } # PLATFORM
cat >"$tmp/ask.py" <<'P'
import combgpu
print(combgpu.magic(4).count, combgpu.no3(8).all, combgpu.permutations("MISSISSIPPI").size,
      combgpu.tsp([(0, 0), (3, 4), (3, 0), (0, 4)]).length, combgpu.permutations(5).index([4, 3, 2, 1, 0]))
P
answers() { # NAME COMMAND...
    name=$1
    shift
    "$@" - <"$tmp/ask.py" 2>&1 | tr -d '\r' >"$tmp/log" && grep -qx '7040 380 34650 14.0 119' "$tmp/log"
    point $? "$name: known answers"
}

# ---- what they need

"$python" -m pip install auditwheel abi3audit >"$tmp/log" 2>&1 || skip_all "no auditwheel"
for platform in manylinux_2_17_x86_64 manylinux_2_17_aarch64 musllinux_1_2_x86_64 musllinux_1_2_aarch64 \
    macosx_10_13_x86_64 macosx_11_0_arm64 win_amd64; do
    place=$(wheel $platform)
    [ "$place" ]
    point $? "$platform is there"
    [ "$place" ] || continue
    "$python" -m abi3audit --strict "$place" >"$tmp/log" 2>&1
    point $? "$platform: only CPython's stable interface, as of 3.9"
    ! unzip -p "$place" 'combgpu/_combgpu.*' | grep -aqE 'libgomp|libOpenCL\.so\.1\.0'
    point $? "$platform: no OpenMP"
    case $platform in
    *linux*)
        "$python" -m auditwheel show "$place" >"$tmp/log" 2>&1 && tr -d '\n' <"$tmp/log" | grep -q "\"$platform\""
        point $? "$platform: that is auditwheel's policy, too"
        ;;
    esac
done

# ---- every CPython here

if [ -z "$PYTHONS" ]; then
    PYTHONS=$(for minor in 9 10 11 12 13 14 15; do command -v python3.$minor; done
        ls "$HOME"/.pyenv/versions/3.*/bin/python3 /usr/bin/python3 2>/dev/null)
fi
tests=all
for each in $PYTHONS; do
    version=$("$each" -c 'import sys; print(sys.version.split()[0]); sys.exit(sys.version_info < (3, 9))' 2>/dev/null) || continue
    case " $seen " in *" $version "*) continue ;; esac
    seen="$seen $version"
    rm -rf "$tmp/venv"
    "$each" -m venv "$tmp/venv" >"$tmp/log" 2>&1 || { skip "it has no venv" "CPython $version" && continue; }
    begin=$(date +%s)
    "$tmp/venv/bin/python" -m pip install "$(wheel "manylinux_2_17_$(uname -m)")" >"$tmp/log" 2>&1
    point $? "CPython $version: pip install, $(($(date +%s) - begin)) s"
    (cd "$tmp" && answers "CPython $version" venv/bin/python) >"$tmp/point"
    cat "$tmp/point"
    number=$((number + 1))
    ! grep -q '^not' "$tmp/point" || failed=1
    [ "$tests" ] || continue
    tests= # once, as many as are over in seconds
    (cd "$tmp" && venv/bin/python -m unittest discover -p 'test_[pt][as][cp]*.py' -s "$root/examples/python/tests" \
        -t "$root/examples/python/tests") >"$tmp/log" 2>&1
    point $? "CPython $version: unit tests"
done

# ---- 64-bit ARM

# Debian's Python, unpacked; pip puts the packages for it beside
arm=$cache/arm64
if [ "$(uname -m)" = aarch64 ] || ! command -v qemu-aarch64-static >/dev/null || ! command -v debootstrap >/dev/null; then
    skip "no qemu-aarch64-static, or no debootstrap" "64-bit ARM"
else
    if [ ! -e "$arm/usr/bin/python3" ]; then
        rm -rf "$arm.new"
        debootstrap --foreign --arch=arm64 --variant=minbase --include=python3 bookworm "$arm.new" >"$tmp/log" 2>&1 &&
            for package in "$arm.new"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$arm.new" || exit 1; done &&
            rm -rf "$arm.new"/var/cache/apt/archives "$arm" && mv "$arm.new" "$arm"
    fi
    if [ -e "$arm/usr/bin/python3" ]; then
        "$python" -m pip install --target "$tmp/arm" --platform manylinux_2_17_aarch64 --python-version 3.11 \
            --implementation cp --abi abi3 --abi cp311 --only-binary :all: "$(wheel manylinux_2_17_aarch64)" >"$tmp/log" 2>&1
        point $? "64-bit ARM: pip takes the wheel"
        PYTHONPATH=$tmp/arm answers "64-bit ARM, qemu" qemu-aarch64-static -L "$arm" "$arm/usr/bin/python3"
    else
        skip "no Python of Debian's for it" "64-bit ARM"
    fi
fi

# ---- Windows

wine() { cat | wine64 "$@"; } # its standard input has to be a pipe
PATH=$PATH:/usr/lib/wine
if [ "$WINDOWS_PYTHON" ] && command -v wine64 >/dev/null; then
    "$python" -m pip install --target "$tmp/windows" --platform win_amd64 --python-version "${WINDOWS_VERSION:-3.13}" \
        --only-binary :all: "$(wheel win_amd64)" >"$tmp/log" 2>&1
    point $? "Windows: pip takes the wheel"
    cp -r "$WINDOWS_PYTHON" "$tmp/python" && rm -f "$tmp"/python/python*._pth # it would keep out other folders
    export WINEDEBUG=-all WINEPREFIX="$tmp/wine"
    PYTHONPATH=$(echo "Z:$tmp/windows" | tr / '\\') answers "Windows, Wine" wine "$tmp/python/python.exe"
else
    skip "compiled only: no WINDOWS_PYTHON, or no Wine" "Windows"
fi
skip "compiled only" "macOS"
skip "compiled only" "musl"
tap_end
