#!/bin/sh
# Makes the release's archive combgpu-VERSION.tar.gz: what git has of the last commit, and what is made of it: the
# man page, and headers of one search each. Its bytes depend on the commit alone.
# usage: dist.sh [FOLDER]      into build/dist; the archive's name and sum are printed
set -e
cd "$(dirname "$0")/../.."
folder=${1:-build/dist}
version=$(sed -n 's/.*COMBGPU_VERSION_STRING "\(.*\)"/\1/p' combgpu.h)
name=combgpu-$version
commit=$(git rev-parse HEAD)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
umask 022
git archive --prefix="$name/" "$commit" | tar -x -C "$tmp"
for search in $(src/amalgamate --searches); do
    (cd "$tmp/$name" && src/amalgamate --only "$search" >/dev/null)
done
${CC:-cc} -O0 -w "$tmp/$name/examples/combgpu.c" -o "$tmp/combgpu" -lpthread
"$tmp/combgpu" --man >"$tmp/$name/combgpu.1"
mkdir -p "$folder"
export LC_ALL=C
tar --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct "$commit")" \
    -C "$tmp" -cf - "$name" | gzip -n -9 >"$folder/$name.tar.gz"
(cd "$folder" && sha256sum "$name.tar.gz")
