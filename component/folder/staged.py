"""The sections of a manifest that name a bucket with the data (reference keboola 2.2)."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

from component.config.json_text import json_path
from component.errors import Place, UserError
from component.folder.layout import DataFolder, entries
from component.folder.manifest_object import CREDENTIALS, ManifestObject
from component.naming import MANIFEST_SUFFIX
from component.staging.buckets import (
    BUCKET_NAME,
    DEFAULT_REGION,
    REGION,
    VISIBLE,
    AzureContainer,
    S3Bucket,
    Staged,
    is_endpoint,
    s3_endpoint,
)

S3_SECTION: Final = "s3"
AZURE_SECTION: Final = "abs"
AZURE_DOMAIN: Final = "core.windows.net"
"""Where S3 looks for a bucket of which nothing is said; it answers for one that is elsewhere that it is."""
ANY_TEXT: Final = re.compile(r".+", re.DOTALL)


def staged_section(found: ManifestObject, variables: Mapping[str, str] = os.environ) -> Staged | None:
    """Return where a manifest says that the data are; None when it does not.

    `variables` may name another S3 than Amazon's. UserError `source.manifest` for what is missing in a section.
    """
    s3, azure = found.object(S3_SECTION), found.object(AZURE_SECTION)
    if s3.values:
        return _s3(s3, variables)
    return _azure(azure) if azure.values else None


def names_bucket(path: Path) -> bool:
    """Tell whether a manifest has a section for a bucket, right or not; a file that holds no object has none."""
    try:
        found = ManifestObject.read(path, Place())
    except UserError:
        return False
    return any(found.values.get(name) for name in (S3_SECTION, AZURE_SECTION))


def staged_secrets(folder: DataFolder) -> frozenset[str]:
    """Return the credentials in the manifests of a folder, to be hidden in every text; never an error."""
    secrets: set[str] = set()
    for path in (*_manifests_in(folder.in_tables), *_manifests_in(folder.in_files)):
        with suppress(UserError):
            secrets.update(credentials_in(path))
    return frozenset(secrets)


def _manifests_in(folder: Path) -> list[Path]:
    with suppress(UserError):
        return [path for path in entries(folder) if path.name.endswith(MANIFEST_SUFFIX) and path.is_file()]
    return []


def credentials_in(path: Path) -> frozenset[str]:
    """Return every text in the credentials of a manifest, parts of a connection string included.

    Also of a section that is not right; UserError `source.manifest` only for a file that holds no object.
    """
    found = ManifestObject.read(path, Place())
    texts: set[str] = set()
    for name in (S3_SECTION, AZURE_SECTION):
        section = found.values.get(name)
        credentials = section.get(CREDENTIALS) if isinstance(section, dict) else None
        given = credentials.items() if isinstance(credentials, dict) else [("", credentials)]
        texts.update(value for key, value in given if isinstance(value, str) and key != "expiration")
    signatures = {_connection(text).get("sharedaccesssignature", "").lstrip("?") for text in texts}
    signed = {word for text in signatures for word in parse_qs(text).get("sig", ())}
    return frozenset(text for text in texts | signatures | signed if text)


def without_credentials(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a manifest without the credentials of its sections, so that nobody can show them."""
    return {key: _public(value) if key in {S3_SECTION, AZURE_SECTION} else value for key, value in values.items()}


def _public(section: Any) -> Any:
    return {key: value for key, value in section.items() if key != CREDENTIALS} if isinstance(section, dict) else None


def _s3(section: ManifestObject, variables: Mapping[str, str]) -> Staged:
    credentials = section.object(CREDENTIALS)
    region = _needed(section, "region", REGION) if section.text("region") else DEFAULT_REGION
    bucket = S3Bucket(
        name=_needed(section, "bucket", BUCKET_NAME),
        region=region,
        endpoint=s3_endpoint(region, variables),
        access_key_id=_needed(credentials, "access_key_id", VISIBLE),
        secret_access_key=_needed(credentials, "secret_access_key", VISIBLE),
        session_token=_needed(credentials, "session_token", VISIBLE) if credentials.text("session_token") else None,
    )
    return Staged(bucket, _needed(section, "key"), _is_sliced(section))


def _azure(section: ManifestObject) -> Staged:
    credentials = section.object(CREDENTIALS)
    words = _connection(_needed(credentials, "sas_connection_string"))
    endpoint, sas = words.get("blobendpoint") or _endpoint(words), words.get("sharedaccesssignature", "").lstrip("?")
    if not is_endpoint(endpoint) or not VISIBLE.fullmatch(sas):
        # The text itself is a secret, so it is not shown.
        raise _not_right(credentials, "sas_connection_string", "a text with BlobEndpoint and SharedAccessSignature")
    container = AzureContainer(
        name=_needed(section, "container", BUCKET_NAME),
        endpoint=endpoint.rstrip("/"),
        sas=sas,
        expires=_expiration(credentials),
    )
    return Staged(container, _needed(section, "name"), _is_sliced(section))


def _connection(text: str) -> dict[str, str]:
    """Return the words of a connection string; their names are not told apart by case."""
    pairs = (part.partition("=") for part in text.split(";") if part.strip())
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _endpoint(words: Mapping[str, str]) -> str:
    account = words.get("accountname")
    if not account:
        return ""
    protocol, suffix = words.get("defaultendpointsprotocol", "https"), words.get("endpointsuffix", AZURE_DOMAIN)
    return f"{protocol}://{account}.blob.{suffix}"


def _expiration(credentials: ManifestObject) -> dt.datetime | None:
    text = credentials.text("expiration")
    if not text:
        return None
    try:
        found = dt.datetime.fromisoformat(text)
    except ValueError:
        return None  # only a forecast: what the store answers counts
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)


def _is_sliced(section: ManifestObject) -> bool:
    """Return the flag, which the two sections write differently."""
    return any(section.flag(key) is True for key in ("isSliced", "is_sliced"))


def _needed(section: ManifestObject, key: str, pattern: re.Pattern[str] = ANY_TEXT) -> str:
    text = section.text(key)
    if text and pattern.fullmatch(text):
        return text
    raise _not_right(section, key, "a text of visible characters" if text else "a text that is not empty")


def _not_right(section: ManifestObject, key: str, expected: str) -> UserError:
    """Return the error for a value without showing it: it may be a secret."""
    path = json_path((*section.steps, key))
    text = f"The manifest {str(section.file)!r} is not right: {path} must be {expected}"
    return UserError("source.manifest", text, place=section.place)
