#!/usr/bin/env bash
# Builds a release of the commit at hand twice, from clones in folders of different names and depths, and compares every
# file byte for byte. The second build shares no compiled package with the first unless SHARE_CACHE=1 says so, which is
# faster and shows less: that paths, times, linking and packing leave no trace.
#
#   scripts/release-twice.sh [--only linux/arm64]
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
first=$work/first second=$work/another/place/second
git clone -q . "$first"
git clone -q . "$second"
"$first/scripts/release.sh" "$@"
[ "${SHARE_CACHE:-}" = 1 ] || export GOCACHE=$work/cache
"$second/scripts/release.sh" "$@"
diff -r "$first/dist" "$second/dist"
echo "the same: $(ls "$first/dist" | wc -l) files of two builds"
