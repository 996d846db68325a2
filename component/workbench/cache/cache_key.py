"""Under what a result is kept: everything that it was made from, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from component.config.fields import SECRET_MARK
from component.naming import MIB

_DIGEST_BYTES: Final = 20


@dataclass(frozen=True, slots=True)
class CacheInput:
    """One input: its name, its size in bytes, and a digest of its bytes."""

    name: str
    size: int
    digest: str


def cache_key(inputs: Iterable[CacheInput], configuration: Any, code: str) -> str:
    """Return the key of a result as 40 hexadecimal digits.

    `configuration` is JSON after migration. Its secrets do not count: they are for fetching only, and a key must not
    tell anything of them. The order of inputs counts, that of keys in objects does not.
    """
    parts = {
        "inputs": [[one.name, one.size, one.digest] for one in inputs],
        "configuration": without_secrets(configuration),
        "code": code,
    }
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def without_secrets(document: Any) -> Any:
    """Return JSON without the values under keys that start with `#`, at any depth."""
    if isinstance(document, dict):
        kept = {key: value for key, value in document.items() if not key.startswith(SECRET_MARK)}
        return {key: without_secrets(value) for key, value in kept.items()}
    return [without_secrets(item) for item in document] if isinstance(document, list) else document


def input_of_file(path: Path, name: str) -> CacheInput:
    """Return what counts of a file, read once; OSError when it cannot be read."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    size = 0
    with path.open("rb") as file:
        while block := file.read(MIB):
            digest.update(block)
            size += len(block)
    return CacheInput(name, size, digest.hexdigest())


def code_version(package: Path, *libraries: str) -> str:
    """Return a digest of all Python files of a package, and of the names and versions of libraries given as texts."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    for library in libraries:
        digest.update(f"\0{library}".encode())
    return digest.hexdigest()
