#!/usr/bin/env bash
# Builds a release into dist/: archives for Linux, macOS and Windows on amd64 and arm64, static ones for Linux, Debian packages,
# OCI images, packages for Python (wheels), bills of material and checksums. The same commit gives the same bytes: paths are trimmed, times
# are the commit's, and nothing else of the machine gets in. Needs Go, git, GNU tar and gzip; dpkg-deb for the packages.
#
#   scripts/release.sh [--only linux/arm64]
set -euo pipefail
cd "$(dirname "$0")/.."

only=
[ "${1:-}" = --only ] && only=$2
[ -z "$(git status --porcelain)" ] || { echo "release.sh: the working tree has changes: a release is of a commit" >&2; exit 1; }
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CGO_ENABLED=0 GOFLAGS=-trimpath
version=$(git describe --tags --match 'v*' --dirty 2>/dev/null || echo "v0.0.0-$(git rev-parse --short=12 HEAD)")
number=${version#v}
out=$PWD/dist
rm -rf "$out"
mkdir -p "$out"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# pack FOLDER makes FOLDER.tar.gz, the same each time.
pack() {
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$stage" -cf - "$1" | gzip -n -9 >"$out/$1.tar.gz"
}

# build OS ARCH TAGS SUFFIX builds both programs and packs them.
build() {
  local name=lacuna_${number}_$1_$2$4 exe=lacuna to=github.com/lacuna-kg/lacuna/internal/command
  [ "$1" = windows ] && exe=lacuna.exe
  mkdir -p "$stage/$name"
  GOOS=$1 GOARCH=$2 go build -tags "$3" -ldflags "-s -w -buildid= -X $to.release=$version -X $to.releaseCommit=$(git rev-parse HEAD)" -o "$stage/$name/" ./cmd/lacuna ./cmd/lacuna-lab
  cp LICENSE README.md CHANGELOG.md "$stage/$name/"
  go run ./internal/release sbom "$stage/$name/$exe" >"$out/$name.cdx.json"
  go run ./internal/release wheel -binary "$stage/$name/$exe" -target "$1/$2${4/_//}" -version "$version" -o "$out"
  pack "$name"
  echo "$name"
}

# package ARCH makes a Debian package of the binary for Linux, with a unit of systemd.
package() {
  local root=$stage/deb-$1
  mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/lib/systemd/system" "$root/etc" "$root/usr/share/doc/lacuna"
  cp "$stage/lacuna_${number}_linux_$1/lacuna" "$root/usr/bin/"
  cp scripts/release/lacuna.service "$root/lib/systemd/system/"
  cp scripts/release/lacuna.conf "$root/etc/"
  cp LICENSE "$root/usr/share/doc/lacuna/copyright"
  echo /etc/lacuna.conf >"$root/DEBIAN/conffiles"
  cat >"$root/DEBIAN/control" <<CONTROL
Package: lacuna
Version: $number
Architecture: $1
Maintainer: The authors of Lacuna <lacuna-kg@users.noreply.github.com>
Depends: libc6
Section: science
Priority: optional
Homepage: https://github.com/lacuna-kg/lacuna
Description: answers logical questions on knowledge graphs that have gaps
 What a graph states, and what a model predicts that it lacks, each answer with
 a probability and its reasons; a command line and a server.
CONTROL
  find "$root" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
  find "$root" -type d -exec chmod 755 {} +
  chmod 600 "$root/etc/lacuna.conf" # it may hold a token and the password of a database
  dpkg-deb --root-owner-group --build "$root" "$out/lacuna_${number}_$1.deb" >/dev/null
}

for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
  [ -n "$only" ] && [ "$only" != "$target" ] && continue
  system=${target%/*} arch=${target#*/}
  build "$system" "$arch" "" ""
  [ "$system" = linux ] || continue
  build linux "$arch" nocuda _static
  go run ./internal/release image -binary "$stage/lacuna_${number}_linux_${arch}_static/lacuna" -arch "$arch" -version "$number" -certificates "${CERTIFICATES:-/etc/ssl/certs/ca-certificates.crt}" -o "$out/lacuna_${number}_linux_${arch}.oci.tar"
  if command -v dpkg-deb >/dev/null; then package "$arch"; else echo "no dpkg-deb: no Debian package" >&2; fi
done
(cd "$out" && sha256sum -- * >SHA256SUMS)
echo "dist/ has $(ls "$out" | wc -l) files of $version"
