#!/bin/sh
# Builds the page of examples/web and clicks through it in a headless Chromium, with known counts. TAP; missing tools
# are a visible SKIP.
# usage: web.sh [PICTURES]    PICTURES: a folder for screenshots, in three sizes, light and dark
cd "$(dirname "$0")/.." || exit 2
case $1 in "" | /*) pictures=$1 ;; *) pictures=$OLDPWD/$1 ;; esac
for browser in chromium chromium-browser google-chrome ""; do
    command -v "$browser" >/dev/null && break
done
if [ -z "$browser" ]; then
    echo "1..0 # SKIP no Chromium: apt install chromium"
    exit
fi
folder=build/web
mkdir -p "$folder"
sh examples/web/build.sh "$folder" >"$folder.log" 2>&1
status=$?
if [ $status -eq 3 ]; then
    echo "1..0 # SKIP $(cat "$folder.log")"
    exit
elif [ $status -ne 0 ]; then
    sed 's/^/# /' "$folder.log"
    echo "not ok 1 - the page is built"
    echo 1..1
    exit 1
fi
python3 tests/web.py "$browser" "$folder/index.html" "$pictures"
