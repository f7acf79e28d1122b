#!/usr/bin/env bash
# Installs PostgreSQL, in which facts of many servers are kept by tests, where it is missing
# and can be had: by root on Debian or Ubuntu. Nothing is left running: every test starts a
# cluster of its own in a temporary folder. Without PostgreSQL these tests are passed over.
set -euo pipefail

for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null || true) $(dirname "$(command -v initdb || true)"); do
  if [ -x "$folder/initdb" ]; then
    echo "PostgreSQL is installed"
    exit 0
  fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "no PostgreSQL, and only root can install it by apt-get" >&2
  exit 1
fi
if [ -n "${LACUNA_NO_POSTGRES:-}" ]; then
  echo "no PostgreSQL, and LACUNA_NO_POSTGRES is set: facts in a database are not tested" >&2
  exit 1
fi
# Whoever runs test.sh did not ask for a package: where somebody is there to answer, they are asked.
if [ -n "${LACUNA_ASK:-}" ] && [ -t 0 ] && [ -t 2 ]; then
  read -r -p "Install PostgreSQL by apt-get, to test facts in it? (LACUNA_NO_POSTGRES=1 goes on without) [y/N] " answer
  case $answer in y | Y | yes) ;; *) exit 1 ;; esac
fi
export DEBIAN_FRONTEND=noninteractive
# Debian would make a cluster and start it, which nobody asked for.
if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
  mkdir -p /etc/postgresql-common
  echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends postgresql >/dev/null
echo "PostgreSQL is installed"
