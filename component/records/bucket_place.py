"""A records directory under a prefix of a bucket."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from component import naming
from component.errors import Place, UserError
from component.staging.buckets import Bucket
from component.staging.faults import fault_of
from component.staging.objects import BucketObject, find_object, read_object

_RETRIES: Final = 6
_DOCUMENT_LIMIT: Final = 64 * naming.MIB


@dataclass(frozen=True, slots=True)
class BucketListing:
    """The objects right below `prefix`, which is empty or ends in a slash. Errors are those of `staging.objects`."""

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
        found = self._asked("list_with_delimiter", self.prefix or None)["objects"]
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
        self._asked("put", self.prefix + name, data)

    def upload(self, name: str, source: Path) -> None:
        """Put a file of this machine, in parts where it is large."""
        self._asked("put", self.prefix + name, source)

    def delete(self, name: str) -> None:
        """Delete an object."""
        self._asked("delete", self.prefix + name)

    def _find(self, bucket: Bucket, key: str, name: str) -> BucketObject | None:
        try:
            return find_object(bucket, key, self._at(name))
        except UserError as error:
            _raise_unless_missing(error)
            return None

    def _at(self, name: str) -> Place:
        return replace(self.place, slice=name)

    def _asked(self, call: str, *arguments: Any) -> Any:
        """Ask the bucket; a fault of the client becomes an error of ours."""
        import obstore  # noqa: PLC0415 - most runs have no bucket

        from component.staging.client import FAULTS, client_of  # noqa: PLC0415

        try:
            return getattr(obstore, call)(client_of(self.bucket, _RETRIES), *arguments)
        except FAULTS as error:
            raise fault_of(error, self.bucket, self.prefix, self.place) from None


def _plain(url: str) -> str:
    """Return a URL with the scheme that Hadoop gives to S3 replaced by S3's own."""
    return f"s3://{url.removeprefix('s3a://')}" if url.startswith("s3a://") else url


def _raise_unless_missing(error: UserError) -> None:
    if error.code != "staged.missing":
        raise error
