#!/usr/bin/env bash
# Usage: scripts/push_release.sh [--activate] IMAGE TAG
# Pushes a local image to the registry that the developer portal names for the component; with --activate, tells the
# portal that this tag is the one to run. Needs docker, and in the environment: VENDOR, COMPONENT, PORTAL_CLI_IMAGE,
# KBC_DEVELOPERPORTAL_USERNAME, KBC_DEVELOPERPORTAL_PASSWORD.
set -euo pipefail

activate=
if [ "${1:-}" = --activate ]; then
  activate=1
  shift
fi
readonly image=$1 tag=$2
: "${VENDOR:?}" "${COMPONENT:?}" "${PORTAL_CLI_IMAGE:?}"
: "${KBC_DEVELOPERPORTAL_USERNAME:?}" "${KBC_DEVELOPERPORTAL_PASSWORD:?}"

portal() {
  docker run --rm -e KBC_DEVELOPERPORTAL_USERNAME -e KBC_DEVELOPERPORTAL_PASSWORD "$PORTAL_CLI_IMAGE" "$@"
}

repository=$(portal ecr:get-repository "$VENDOR" "$COMPONENT")
if [ -n "$activate" ]; then
  portal update-app-repository "$VENDOR" "$COMPONENT" "$tag" ecr "$repository"
  exit
fi
login=$(portal ecr:get-login "$VENDOR" "$COMPONENT") # apart from eval, which would hide that it failed
eval "$login"
docker tag "$image" "$repository:$tag"
docker push "$repository:$tag"
