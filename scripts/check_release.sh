#!/usr/bin/env bash
# Usage: scripts/check_release.sh TAG BRANCH
# Ends with 1 and a sentence unless TAG is a semantic version without v, the version of pyproject.toml, and on BRANCH.
set -euo pipefail

readonly tag=$1 branch=$2
cd "$(dirname "${BASH_SOURCE[0]}")/.."

refuse() {
  echo "$1" >&2
  exit 1
}

[[ $tag =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || refuse "The tag $tag is no version such as 1.2.3."
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
[ "$tag" = "$version" ] || refuse "The tag is $tag, and pyproject.toml says $version."
git merge-base --is-ancestor HEAD "$branch" || refuse "The tag $tag is not on $branch."
