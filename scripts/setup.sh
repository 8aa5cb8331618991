#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Install what Nearcube needs from the distribution's own packages.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: scripts/setup.sh [--dev] [--list] [--help]

Installs the packages that `./nearcube demo` and `./nearcube test` need (about 2 GB unpacked, half of it the
RISC-V compiler and its C library). Asks nothing; running it again does nothing.

  --dev    also what only developers need: synthesis, formal proofs, lint, documentation
  --list   only print what is missing; exit 1 if anything is

Works on Debian 12, Debian 13 and Ubuntu 24.04. Elsewhere it lists what is missing and exits with status 2.

Example: scripts/setup.sh --dev
USAGE
}

dev=0 list=0
while [ $# -gt 0 ]; do
  case $1 in
    --dev) dev=1 ;;
    --list) list=1 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup: unknown option '$1'; see scripts/setup.sh --help" >&2; exit 2 ;;
  esac
  shift
done

here=$(cd "$(dirname "$0")" && pwd)
read_list() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$here/$1"; }
packages=$(read_list packages-base.txt)
if [ $dev = 1 ]; then packages="$packages $(read_list packages-dev.txt)"; fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: this system has no apt. Nearcube needs the equivalents of these Debian packages:" >&2
  for package in $packages; do echo "  $package" >&2; done
  echo "setup: install them, then run 'make build'." >&2
  exit 2
fi

# Packages of the list that are not installed.
find_missing() {
  local installed
  # shellcheck disable=SC2086
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $packages 2>/dev/null | sed -n 's/ installed$//p' || true)
  missing=()
  for package in $packages; do
    grep -qxF "$package" <<<"$installed" || missing+=("$package")
  done
}

find_missing
if [ ${#missing[@]} = 0 ]; then exit 0; fi

if [ $list = 1 ]; then
  printf '%s\n' "${missing[@]}"
  exit 1
fi

run=()
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    run=(sudo -n)
  else
    echo "setup: these packages are missing, and installing them needs root:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    echo "setup: run 'sudo scripts/setup.sh$([ $dev = 1 ] && echo ' --dev')' and try again." >&2
    exit 2
  fi
fi

# Two at once: the second finds the work done.
if command -v flock >/dev/null; then
  exec 8<"$here/setup.sh"
  flock 8
  find_missing
  if [ ${#missing[@]} = 0 ]; then exit 0; fi
fi

echo "setup: installing ${#missing[@]} packages: ${missing[*]}"
apt() { "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@"; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt update && apt install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "setup: apt could not install the packages; its last lines are above." >&2
  exit 1
fi
echo "setup: done"
