#!/usr/bin/env bash
# Writes requirements/*.lock anew. `scripts/lock.sh --help` says how.
set -euo pipefail

if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
  cat <<'TEXT'
Usage: scripts/lock.sh [--upgrade]

Writes requirements/*.lock from pyproject.toml and requirements/*.in with uv. Versions that are locked stay, unless
--upgrade is given. A package that stands in several locks has one version in all of them; the locks of
plateau, records-mover, datadirtest and kartothek, which needs Python 3.8, are apart.
TEXT
  exit
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v uv >/dev/null || { echo "lock: uv is needed for this: https://docs.astral.sh/uv/" >&2; exit 1; }
export UV_CUSTOM_COMPILE_COMMAND="make lock"

compile() { # $1: name of the lock, then its sources
  local name=$1
  shift
  uv pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --universal --python-version 3.11 \
    ${upgrade:+"$upgrade"} -o "requirements/$name.lock" "$@"
}

upgrade=${1:-}
compile bench pyproject.toml --group build --group test --group bench
upgrade=
for group in run test java; do
  more=()
  [ "$group" = run ] || more=(--group "$group")
  compile "$group" pyproject.toml --group build "${more[@]}" --constraint requirements/bench.lock
done
compile build requirements/build.in --constraint requirements/bench.lock
upgrade=${1:-}
compile plateau requirements/plateau.in
compile plateau-pandas3 requirements/plateau-pandas3.in
compile records requirements/records.in
compile datadirtest requirements/datadirtest.in --no-deps # what it records HTTP with is not used
uv pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --python-version 3.8 \
  ${upgrade:+"$upgrade"} -o requirements/kartothek.lock requirements/kartothek.in
