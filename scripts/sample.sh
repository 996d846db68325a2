#!/usr/bin/env bash
# Usage: scripts/sample.sh [FOLDER]
# Copies data-sample to a fresh folder (default build/data), so that no run writes into what is committed.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}"; exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-build/data}
if [ -e "$folder" ] && [ ! -f "$folder/config.json" ]; then
  echo "sample: $folder is there and is no data folder; it is left alone" >&2
  exit 1
fi
rm -rf "$folder" "$folder.unfinished"
mkdir -p "$folder.unfinished"/out/tables "$folder.unfinished"/out/files
cp -R data-sample/. "$folder.unfinished"
mv "$folder.unfinished" "$folder"
