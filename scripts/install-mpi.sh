#!/usr/bin/env bash
# Installs Open MPI and MPICH, over which the tests run several ranks, where they are missing and
# can be had: by root on Debian or Ubuntu. Anywhere else install one by hand; without any the tests of
# ranks are those within one process.
set -euo pipefail

if command -v mpirun.openmpi >/dev/null && command -v mpiexec.hydra >/dev/null; then
  echo "Open MPI and MPICH are installed"
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "no Open MPI or no MPICH, and only root can install them by apt-get" >&2
  exit 1
fi
if [ -n "${LACUNA_NO_MPI:-}" ]; then
  echo "no Open MPI or no MPICH, and LACUNA_NO_MPI is set: ranks are tested within one process" >&2
  exit 1
fi
# Whoever runs test.sh did not ask for a package: where somebody is there to answer, they are asked.
if [ -n "${LACUNA_ASK:-}" ] && [ -t 0 ] && [ -t 2 ]; then
  read -r -p "Install Open MPI and MPICH by apt-get, to test ranks over them? (LACUNA_NO_MPI=1 goes on without) [y/N] " answer
  case $answer in y | Y | yes) ;; *) exit 1 ;; esac
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends openmpi-bin mpich >/dev/null
echo "Open MPI and MPICH are installed"
