#!/usr/bin/env bash
# Usage: scripts/update_portal.sh FOLDER
# Writes each file of component_config into its property in the developer portal; a missing or empty file is left out.
# Needs docker, and in the environment what scripts/push_release.sh needs.
set -euo pipefail

readonly folder=$1
: "${VENDOR:?}" "${COMPONENT:?}" "${PORTAL_CLI_IMAGE:?}"
: "${KBC_DEVELOPERPORTAL_USERNAME:?}" "${KBC_DEVELOPERPORTAL_PASSWORD:?}"

while read -r property file; do
  if [ ! -s "$folder/$file" ]; then
    echo "left out: $property ($file is missing or empty)"
    continue
  fi
  docker run --rm -e KBC_DEVELOPERPORTAL_USERNAME -e KBC_DEVELOPERPORTAL_PASSWORD "$PORTAL_CLI_IMAGE" \
    update-app-property "$VENDOR" "$COMPONENT" "$property" --value="$(cat "$folder/$file")" </dev/null
  echo "updated: $property"
done <<'PROPERTIES'
configurationSchema configSchema.json
configurationRowSchema configRowSchema.json
configurationDescription configuration_description.md
shortDescription component_short_description.md
longDescription component_long_description.md
documentationUrl documentationUrl.md
licenseUrl licenseUrl.md
sourceCodeUrl sourceCodeUrl.md
logger logger
loggerConfiguration loggerConfiguration.json
uiOptions uiOptions.md
actions actions.md
stackParameters stack_parameters.json
PROPERTIES
