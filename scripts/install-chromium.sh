#!/usr/bin/env bash
# Installs Chromium, in which the page is tested, where it is missing and can be had:
# by root on Debian or Ubuntu. Anywhere else install it by hand; without it the tests
# of the page in a browser are passed over.
set -euo pipefail

for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name" >/dev/null; then
    echo "$name is installed"
    exit 0
  fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "no Chromium, and only root can install it by apt-get" >&2
  exit 1
fi
if [ -n "${LACUNA_NO_CHROMIUM:-}" ]; then
  echo "no Chromium, and LACUNA_NO_CHROMIUM is set: the page is not tested in a browser" >&2
  exit 1
fi
# Whoever runs test.sh did not ask for a package: where somebody is there to answer, they are asked.
if [ -n "${LACUNA_ASK:-}" ] && [ -t 0 ] && [ -t 2 ]; then
  read -r -p "Install Chromium by apt-get, to test the page in it? (LACUNA_NO_CHROMIUM=1 goes on without) [y/N] " answer
  case $answer in y | Y | yes) ;; *) exit 1 ;; esac
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# The package draws text only with some font; any will do for tests.
apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
echo "Chromium is installed"
