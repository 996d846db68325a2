"""What a folder lacks that its run had: secrets that were taken out, texts that were cut, credentials that expired.

Reference keboola 7.2, 7.4. All of it is found before anything runs, and named by JSON paths.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

from component.check.documents import CIPHER
from component.check.finding import place_in
from component.config.json_text import JsonFaultError, Step, parse_json
from component.config.load import Document
from component.findings import Finding, warning
from component.naming import MANIFEST_SUFFIX
from component.report.messages.record import TRIMMED
from component.report.words.masking import HIDDEN
from component.staging.buckets import SESSION_LIFE

STAGES: Final = ("s3", "abs")
"""Sections of an input manifest that say where its data lie (reference keboola 2.2)."""
_EXPIRES: Final = re.compile(r"\bse=[^&;]+")


def missing(place: str, text: str) -> Finding:
    """Return the finding of one thing that is not there: the place to put it, and why it is missing."""
    return warning("replay.gap", place, text)


def document_gaps(name: str, data: bytes, value: Any) -> list[Finding]:
    """Return the gaps of a document; `value` is what its text `data` holds, None where that cannot be read."""
    if value is None and data.rstrip().endswith(TRIMMED.encode()):
        return [missing(name, "its text was cut off, so it cannot be read")]
    return [missing(place_in(name, steps), text) for steps, text in _marks(value)]


def staging_gaps(tables: Path, now: dt.datetime) -> list[Finding]:
    """Return the inputs that lie in an object store whose credentials have expired; `now` knows its time zone.

    An input whose file lies beside its manifest needs no credentials.
    """
    found: list[Finding] = []
    for manifest in sorted(tables.glob(f"*{MANIFEST_SUFFIX}")):
        if manifest.with_name(manifest.name.removesuffix(MANIFEST_SUFFIX)).exists():
            continue
        for stage, section in _staged(manifest):
            written = dt.datetime.fromtimestamp(manifest.stat().st_mtime, dt.UTC)
            why = _expired(section, written, now)
            if why:
                remedy = f"put the file in/tables/{manifest.name.removesuffix(MANIFEST_SUFFIX)} there instead"
                found.append(missing(f"in/tables/{manifest.name}: {stage}.credentials", f"{why}; {remedy}"))
    return found


def config_gaps(document: Document | None, name: str, data: bytes) -> list[Finding]:
    """Return the gaps of the configuration, None where it cannot be read."""
    return document_gaps(name, data, None if document is None else document.value)


def _marks(value: Any) -> Iterator[tuple[Sequence[Step], str]]:
    waiting: list[tuple[tuple[Step, ...], Any]] = [((), value)]
    while waiting:
        steps, node = waiting.pop()
        if isinstance(node, dict):
            yield from (((*steps, key), f"its key holds {HIDDEN}") for key in node if HIDDEN in key)
            waiting.extend(((*steps, key), item) for key, item in reversed(node.items()))
        elif isinstance(node, list):
            waiting.extend(((*steps, index), node[index]) for index in reversed(range(len(node))))
        elif isinstance(node, str) and (why := _mark(node)):
            yield steps, why


def _mark(text: str) -> str:
    if CIPHER.match(text):
        return "it is still encrypted"
    if HIDDEN in text:
        return f"it was replaced by {HIDDEN}"
    return "its text was cut off" if text.endswith(TRIMMED) else ""


def _staged(manifest: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the sections of a manifest that say where its data lie; a manifest that cannot be read has none."""
    try:
        value = parse_json(manifest.read_bytes())
    except (OSError, JsonFaultError):
        return
    for stage in STAGES if isinstance(value, dict) else ():
        section = value.get(stage)
        if isinstance(section, dict):
            yield stage, section


def _expired(section: dict[str, Any], written: dt.datetime, now: dt.datetime) -> str:
    credentials = section.get("credentials")
    if not isinstance(credentials, dict):
        return ""
    if _mark(json_text := str(credentials)):
        return _mark(json_text)
    expiration = _time(credentials.get("expiration")) or _signed_until(credentials.get("sas_connection_string"))
    if expiration is not None:
        return f"they expired at {expiration.isoformat(timespec='minutes')}" if expiration <= now else ""
    if credentials.get("session_token") and now - written > SESSION_LIFE:
        return f"they are of a session, and the manifest is from {written.isoformat(timespec='minutes')}"
    return ""


def _signed_until(text: Any) -> dt.datetime | None:
    """Return when a shared access signature ends, which is in its text as `se=`."""
    found = _EXPIRES.search(text) if isinstance(text, str) else None
    return _time(parse_qs(found[0])["se"][0]) if found else None


def _time(text: Any) -> dt.datetime | None:
    try:
        found = dt.datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)
