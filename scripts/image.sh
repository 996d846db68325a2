#!/usr/bin/env bash
# Usage: scripts/image.sh
# Builds the container image. IMAGE names it (default tablemill), BASE_IMAGE is a Debian with Python 3.11 or newer.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}"; exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v docker >/dev/null || { echo "image: there is no docker command here" >&2; exit 1; }
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
# The time of the commit, not of the build: the same sources give the same image.
created=$(git log -1 --format=%cI 2>/dev/null || echo 1970-01-01T00:00:00Z)
docker build \
  --build-arg BASE_IMAGE="${BASE_IMAGE:-python:3.11-slim-bookworm}" \
  --build-arg REVISION="$revision" --build-arg CREATED="$created" \
  --tag "${IMAGE:-tablemill}" .
