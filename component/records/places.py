"""Where a records directory lies: a folder of this machine, or a prefix of a bucket, with one contract.

`tests/records/test_places.py` holds it for both. A URL names a file as manifests do: absolute, with a scheme
(reference records 8).
"""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, Protocol
from urllib.parse import unquote_to_bytes, urlsplit

from component import identity, naming
from component.config.json_text import JsonFaultError, read_document_file
from component.errors import Place, UserError
from component.records.bucket_place import BucketListing
from component.staging.buckets import BUCKET_NAME, REGION, S3Bucket, s3_endpoint
from component.staging.locations import Location
from component.store.files import failing, force, force_folder, make_folder, unfinished_file

_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):(?=/)", re.IGNORECASE)
_S3: Final = frozenset({"s3", "s3a"})
_HOSTS: Final = frozenset({"", "localhost"})
_DEFAULT_REGION: Final = "us-east-1"
_CODES: Final = {"_schema.json": "records.schema", "_schema": "records.schema"}
_REMEDY: Final = "Use a folder, file:///path/to/folder/ or s3://bucket/path/."


class Listing(Protocol):
    """The files of one directory. Names are plain: no slash, whatever a URL would have to escape as it is."""

    @property
    def url(self) -> str:
        """The absolute URL of the directory, with a slash at its end."""

    @property
    def waits(self) -> bool:
        """Whether files may appear later than their writer says, so that it makes sense to wait for them."""

    def names(self) -> tuple[str, ...]:
        """Return the names of all files, hidden ones included, sorted; none where there is no directory."""

    def read(self, name: str) -> bytes | None:
        """Return a small file whole, None when there is none."""

    def locate(self, name: str) -> Location | None:
        """Return where a file is, None when there is none."""

    def url_of(self, name: str) -> str:
        """Return the absolute URL of a file."""

    def name_of(self, url: str) -> str | None:
        """Return the name of the file of this directory that a URL names, None when it names something outside."""

    def elsewhere(self, url: str) -> Location | None:
        """Return where a file outside of the directory is, None when there is none or it cannot be asked for."""

    def put(self, name: str, data: bytes) -> None:
        """Write a file; it is there whole or not at all."""

    def upload(self, name: str, source: Path) -> None:
        """Write a file of any size from one of this machine; it is there whole or not at all."""

    def delete(self, name: str) -> None:
        """Remove a file; one that is not there is no error."""


@dataclass(frozen=True, slots=True)
class LocalListing:
    """A folder of this machine."""

    root: Path

    @property
    def url(self) -> str:
        """The `file://` URL of the folder."""
        return f"{self.root.absolute().as_uri().rstrip('/')}/"

    @property
    def waits(self) -> bool:
        """False: a file system shows what was written."""
        return False

    def names(self) -> tuple[str, ...]:
        """Return the names of the files; RetryError or UserError `store.unreadable` when they cannot be listed."""
        with failing(self.root, "read"), suppress(FileNotFoundError):
            return tuple(sorted(entry.name for entry in os.scandir(self.root) if entry.is_file()))
        return ()

    def read(self, name: str) -> bytes | None:
        """Return a small file; UserError `records.manifest` for one of more than 64 MiB, and for a folder.

        A folder in the place of the schema is `records.schema`.
        """
        path = self.root / name
        if path.is_dir():
            text = f"{name} is a folder, and a records directory has a file of this name"
            remedy = "Put the file itself there, or rename the folder."
            raise UserError(
                _CODES.get(name, "records.manifest"), text, place=Place(table=self.root.name), remedy=remedy
            )
        with failing(path, "read"):
            try:
                return read_document_file(path)
            except FileNotFoundError:
                return None
            except JsonFaultError as fault:
                raise UserError("records.manifest", f"{path} {fault}") from None

    def locate(self, name: str) -> Path | None:
        """Return the path of a file."""
        path = self.root / name
        return path if path.is_file() else None

    def url_of(self, name: str) -> str:
        """Return the percent-encoded `file://` URL of a file."""
        return (self.root.absolute() / name).as_uri()

    def name_of(self, url: str) -> str | None:
        """Return the name of a file right in the folder; links and `..` are followed before it is compared."""
        path = path_of_url(url)
        if path is None or not path.name or path.parent.resolve() != self.root.resolve():
            return None
        return path.name

    def elsewhere(self, url: str) -> Path | None:
        """Return the path of a file of this machine."""
        path = path_of_url(url)
        return path if path is not None and path.is_file() else None

    def put(self, name: str, data: bytes) -> None:
        """Write a file under a hidden name, force it to disk, and rename it."""
        self._write(name, io.BytesIO(data))

    def upload(self, name: str, source: Path) -> None:
        """Copy a file in the same way."""
        with failing(source, "read"), source.open("rb") as file:
            self._write(name, file)

    def _write(self, name: str, source: BinaryIO) -> None:
        path = self.root / name
        with failing(path, "written"):
            make_folder(self.root)
            with unfinished_file(self.root / f".{identity.new_hex()}.part") as file:
                shutil.copyfileobj(source, file, naming.MIB)
                force(file)
                Path(file.name).replace(path)
                force_folder(self.root)

    def delete(self, name: str) -> None:
        """Remove a file."""
        path = self.root / name
        with failing(path, "deleted"):
            path.unlink(missing_ok=True)


def path_of_url(url: str) -> Path | None:
    """Return the path that a `file:` URL names, percent-encoded or not; None for any other URL and for other hosts."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc.lower() not in _HOSTS:
        return None
    raw = unquote_to_bytes(parts.path)
    return Path(os.fsdecode(raw)) if raw.startswith(b"/") and b"\0" not in raw else None


def last_step(url: str) -> tuple[str, ...]:
    """Return the names that the last step of a URL may stand for: decoded, and as it is."""
    raw = url.rstrip("/").rpartition("/")[2]
    names = (os.fsdecode(unquote_to_bytes(raw)), raw)
    return tuple(dict.fromkeys(name for name in names if _is_plain(name)))


def _is_plain(name: str) -> bool:
    return PurePosixPath(name).name == name and name not in {"", ".."} and "\0" not in name


def open_listing(place: str | Path, variables: Mapping[str, str]) -> Listing:
    """Return the directory at a path, a `file:` URL or an `s3://` URL (s3a too).

    `variables` are the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and
    AWS_ENDPOINT_URL_S3 count as for Amazon's own clients. UserError `store.url` for another scheme,
    `staged.credentials` where there are none.
    """
    if isinstance(place, Path):
        return LocalListing(place)
    scheme = _SCHEME.match(place)
    if scheme is None:
        return LocalListing(Path(place))
    if scheme[1].lower() in _S3:
        return _bucket(place[scheme.end() :].removeprefix("//"), variables)
    path = path_of_url(place)
    if path is None:
        text = f"The records directory has a URL of the scheme {scheme[1]!r}, which cannot be read"
        raise UserError("store.url", text, remedy=_REMEDY)
    return LocalListing(path)


def _bucket(rest: str, variables: Mapping[str, str]) -> BucketListing:
    name, _, key = rest.partition("/")
    if not BUCKET_NAME.fullmatch(name):
        raise UserError("store.url", "The URL of the records directory names no bucket", remedy=_REMEDY)
    region = variables.get("AWS_REGION") or variables.get("AWS_DEFAULT_REGION") or _DEFAULT_REGION
    if not REGION.fullmatch(region):
        raise UserError("config.value", "AWS_REGION is no name of a region", remedy="Set it like eu-central-1.")
    keys = [variables.get("AWS_ACCESS_KEY_ID"), variables.get("AWS_SECRET_ACCESS_KEY")]
    if not all(keys):
        text = f"There are no credentials for s3://{name}"
        remedy = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        raise UserError("staged.credentials", text, remedy=remedy)
    session = variables.get("AWS_SESSION_TOKEN") or None
    bucket = S3Bucket(name, region, s3_endpoint(region, variables), keys[0] or "", keys[1] or "", session)
    prefix = f"{key.strip('/')}/" if key.strip("/") else ""
    return BucketListing(bucket, prefix, Place())
