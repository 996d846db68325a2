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
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, Protocol
from urllib.parse import unquote_to_bytes, urlsplit

from component import identity, naming
from component.config.json_text import JsonFaultError, read_document_file
from component.errors import Place, UserError
from component.staging.buckets import BUCKET_NAME, DEFAULT_REGION, REGION, Bucket, S3Bucket, s3_endpoint
from component.staging.faults import fault_of
from component.staging.locations import Location
from component.staging.objects import BucketObject, find_object, read_object
from component.store.files import failing, force, force_folder, make_folder, unfinished_file

_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):(?=/)", re.IGNORECASE)
_S3: Final = frozenset({"s3", "s3a"})
_HOSTS: Final = frozenset({"", "localhost"})
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
    region = variables.get("AWS_REGION") or variables.get("AWS_DEFAULT_REGION") or DEFAULT_REGION
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


_DOCUMENT_LIMIT: Final = 64 * naming.MIB


@dataclass(frozen=True, slots=True)
class BucketListing:
    """A records directory in a bucket: the objects right below `prefix`, which is empty or ends in a slash.

    Errors are those of `staging.objects`.
    """

    bucket: Bucket
    prefix: str
    place: Place

    @property
    def url(self) -> str:
        """The URL of the prefix."""
        return self.bucket.url(self.prefix)

    @property
    def waits(self) -> bool:
        """True: a bucket may show an object later than others."""
        return True

    def names(self) -> tuple[str, ...]:
        """Return the names of the objects right below the prefix."""
        found = self._call("list_with_delimiter", self.prefix or None)["objects"]
        keys = (item["path"].removeprefix(self.prefix) for item in found)
        return tuple(sorted(key for key in keys if key and "/" not in key))

    def read(self, name: str) -> bytes | None:
        """Return a small object; UserError `source.manifest` for one of more than 64 MiB."""
        try:
            return read_object(self.bucket, self.prefix + name, self._at(name), limit=_DOCUMENT_LIMIT)
        except UserError as error:
            _raise_unless_missing(error)
            return None

    def locate(self, name: str) -> BucketObject | None:
        """Return the version of an object that is there now."""
        return self._find(self.bucket, self.prefix + name, name)

    def url_of(self, name: str) -> str:
        """Return the URL of an object; its key is not encoded, as in Redshift's manifests."""
        return self.bucket.url(self.prefix + name)

    def name_of(self, url: str) -> str | None:
        """Return the name of an object right below the prefix."""
        found = self.bucket.of_url(_plain(url))
        if found is None or found[0] != self.bucket or not found[1].startswith(self.prefix):
            return None
        name = found[1].removeprefix(self.prefix)
        return name if name and "/" not in name else None

    def elsewhere(self, url: str) -> BucketObject | None:
        """Return an object of this or another bucket, read with the same credentials."""
        found = self.bucket.of_url(_plain(url))
        if found is None:
            return None
        bucket, key = found
        return self._find(bucket, key, key)

    def put(self, name: str, data: bytes) -> None:
        """Put an object."""
        self._call("put", self.prefix + name, data)

    def upload(self, name: str, source: Path) -> None:
        """Put a file of this machine, in parts where it is large."""
        self._call("put", self.prefix + name, source)

    def delete(self, name: str) -> None:
        """Delete an object."""
        self._call("delete", self.prefix + name)

    def _find(self, bucket: Bucket, key: str, name: str) -> BucketObject | None:
        try:
            return find_object(bucket, key, self._at(name))
        except UserError as error:
            _raise_unless_missing(error)
            return None

    def _at(self, name: str) -> Place:
        return replace(self.place, slice=name)

    def _call(self, call: str, *arguments: Any) -> Any:
        """Ask the bucket; a fault of the client becomes an error of ours."""
        import obstore  # noqa: PLC0415 - most runs have no bucket

        from component.staging.client import FAULTS, RETRIES, client_of  # noqa: PLC0415

        try:
            return getattr(obstore, call)(client_of(self.bucket, RETRIES), *arguments)
        except FAULTS as error:
            raise fault_of(error, self.bucket, self.prefix, self.place) from None


def _plain(url: str) -> str:
    """Return a URL with the scheme that Hadoop gives to S3 replaced by S3's own."""
    return f"s3://{url.removeprefix('s3a://')}" if url.startswith("s3a://") else url


def _raise_unless_missing(error: UserError) -> None:
    if error.code != "staged.missing":
        raise error
