#!/bin/sh
# Fills in the packaging recipes for an archive of `make dist`: version, place, sums, date.
# usage: recipes.sh ARCHIVE FOLDER [URL]      URL: where users get the archive; by default the file itself
# environment: DEBFULLNAME, DEBEMAIL: who signs Debian's package
set -e
here=$(cd "$(dirname "$0")" && pwd)
archive=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$2
version=$(basename "$archive" .tar.gz)
version=${version#combgpu-}
export LC_ALL=C
seconds=$(tar -tvzf "$archive" --full-time --utc | awk 'NR == 1 { print $4 " " $5 " UTC" }')
sum() { "$1" "$archive" | cut -d ' ' -f 1; }
mkdir -p "$folder"
for kind in vcpkg conan conda homebrew debian; do cp -r "$here/$kind" "$folder/"; done
mv "$folder/debian/libcombgpu.install" "$folder/debian/libcombgpu${version%.*}.install"
{ sed -n '1,4d; s/^$/./; s/^/ /; p' "$here/../../LICENSE"; } >"$folder/license"
find "$folder/vcpkg" "$folder/conan" "$folder/conda" "$folder/homebrew" "$folder/debian" -type f -exec sed -i \
    -e "s|@VERSION@|$version|g" -e "s|@SERIES@|${version%.*}|g" -e "s|@URL@|${3:-file://$archive}|g" \
    -e "s|@PACKAGER@|${DEBFULLNAME:-The combgpu authors} <${DEBEMAIL:-combgpu@localhost}>|g" \
    -e "s|@COPYRIGHT@|$(sed -n 's/^Copyright (c) //p' "$here/../../LICENSE")|g" \
    -e "s|@SHA256@|$(sum sha256sum)|g" -e "s|@SHA512@|$(sum sha512sum)|g" -e "s|@DATE@|$(date -Ru -d "$seconds")|g" \
    -e "/@LICENSE@/{r $folder/license" -e 'd;}' {} +
rm "$folder/license"
