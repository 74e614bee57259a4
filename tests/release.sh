#!/bin/sh
# The release's archive: the same bytes each time; it builds; so do Debian's and Conan's packages of it, and the other
# recipes of examples/install have no errors that a parser finds. Not optimised, which is not what is tested. TAP;
# missing tools are a visible SKIP. Conan comes from PyPI, Debian's tools are debhelper and lintian.
. tests/test.sh
root=$PWD
unset MAKEFLAGS MFLAGS MAKELEVEL
cache=${XDG_CACHE_HOME:-$HOME/.cache}/combgpu-ci
python=$cache/release/bin/python
version=$(sed -n 's/.*COMBGPU_VERSION_STRING "\(.*\)"/\1/p' combgpu.h)
archive=$tmp/1/combgpu-$version.tar.gz

# ---- the archive

git rev-parse HEAD >/dev/null 2>&1 || skip_all "no repository"
sh examples/install/dist.sh "$tmp/1" >"$tmp/log" 2>&1 && (umask 077 && cd / && TZ=Asia/Tokyo sh "$root/examples/install/dist.sh" "$tmp/2") >>"$tmp/log" 2>&1 &&
    cmp "$archive" "$tmp/2/combgpu-$version.tar.gz" >>"$tmp/log" 2>&1
point $? "two archives are the same bytes"
tar -xzf "$archive" -C "$tmp"
built=$tmp/combgpu-$version
for file in combgpu.h combgpu_cl.c combgpu_cuda.cu combgpu_kernels.cl combgpu.1 LICENSE README.md Makefile src/combgpu.h; do
    [ -s "$built/$file" ] || echo "$file is not there"
done >"$tmp/log"
[ ! -s "$tmp/log" ]
point $? "header, sidecars, sources and man page are there"
(cd "$built" && src/amalgamate --check && make run CFLAGS=-O0) >"$tmp/log" 2>&1 && grep -q '^All as known' "$tmp/log"
point $? "make run in it"
for header in "$built"/combgpu_*.h; do
    [ -e "$header" ] || continue
    printf '#define COMBGPU_IMPLEMENTATION\n#include "%s"\nint main(void) { return 0; }\n' "$header" >"$tmp/one.c"
    cc -std=c99 -O0 -Wall -Wextra -Werror "$tmp/one.c" -o "$tmp/one" >"$tmp/log" 2>&1
    point $? "${header##*/}, a header of one search"
done
[ -s CHANGELOG.md ] && grep -q "^## $version" CHANGELOG.md && grep -qx "version: $version" CITATION.cff
point $? "CHANGELOG.md and CITATION.cff have this version"

# ---- recipes

recipes=$tmp/recipes
DEBEMAIL=maintainers@packages.debian.org sh examples/install/recipes.sh "$archive" "$recipes" >"$tmp/log" 2>&1 && ! grep -rn '@[A-Z0-9]*@' "$recipes" >>"$tmp/log"
point $? "the recipes are filled in"
if command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null && command -v lintian >/dev/null; then
    mkdir "$tmp/debian"
    cp "$archive" "$tmp/debian/combgpu_$version.orig.tar.gz"
    tar -xzf "$archive" -C "$tmp/debian"
    cp -r "$recipes/debian" "$tmp/debian/combgpu-$version/debian"
    (cd "$tmp/debian/combgpu-$version" && DEB_BUILD_OPTIONS=noopt dpkg-buildpackage -us -uc) >"$tmp/log" 2>&1
    point $? "Debian: dpkg-buildpackage"
    # a package that asks Debian for nothing closes no bug
    lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --allow-root "$tmp"/debian/*.changes >"$tmp/log" 2>&1
    point $? "Debian: lintian"
else
    skip "no debhelper or lintian" "Debian"
fi
if { [ -x "$python" ] || python3 -m venv "$cache/release"; } >/dev/null 2>&1 &&
    "$python" -m pip install -q conan pyyaml >"$tmp/log" 2>&1; then
    export CONAN_HOME="$tmp/conan"
    conan() { "$python" -m conans.conan "$@"; }
    conan profile detect >"$tmp/log" 2>&1
    for shared in False True; do
        conan create "$recipes/conan" --no-remote -o "combgpu/*:shared=$shared" -s build_type=Debug --build=missing >"$tmp/log" 2>&1 && grep -q '^380 solutions' "$tmp/log"
        point $? "Conan: shared=$shared"
    done
    "$python" -c '
import json, re, sys, yaml
text = open(sys.argv[1] + "/conda/meta.yaml").read()
assert yaml.safe_load(re.sub(r"\{\{.*\}\}", "x", text))["package"]["name"] == "combgpu"
assert json.load(open(sys.argv[1] + "/vcpkg/vcpkg.json"))["version"] == sys.argv[2]' "$recipes" "$version" >"$tmp/log" 2>&1
    point $? "conda and vcpkg: YAML and JSON are read"
else
    skip "pip cannot install it" "Conan"
fi
if command -v ruby >/dev/null; then
    ruby -c "$recipes/homebrew/combgpu.rb" >"$tmp/log" 2>&1
    point $? "Homebrew: Ruby's syntax"
else
    skip "no ruby" "Homebrew"
fi
tap_end
