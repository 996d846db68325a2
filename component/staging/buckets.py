"""Buckets that a manifest points to, with the credentials that it gives: data that travels to the tasks.

Credentials are never part of a `repr`, and errors never quote what a store says in full (`faults`).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import parse_qs, urlsplit

from component import clock
from component.errors import UserError
from component.naming import HIGHEST_PORT

ENDPOINT_VARIABLES: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
"""Where another S3 than Amazon's is, by the names that Amazon's own clients use; the first that is set counts."""

SESSION_LIFE: Final = dt.timedelta(hours=36)
"""How long session credentials of a bucket live at most: S3 gives none for longer, and a manifest does not say."""

# What the client takes: it ends the process with other characters, so nothing else may reach it.
BUCKET_NAME: Final = re.compile(r"[A-Za-z0-9$][A-Za-z0-9._-]{0,254}")
REGION: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
DEFAULT_REGION: Final = "us-east-1"
"""Where a bucket of S3 is when nothing names its region."""
VISIBLE: Final = re.compile(r"[!-~]+")
_ENDPOINT: Final = re.compile(
    r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?|https?://\[[0-9a-fA-F:]+\](:[0-9]{1,5})?"
)


@dataclass(frozen=True, slots=True)
class S3Bucket:
    """A bucket of Amazon S3, or at `endpoint` of a store that speaks like it."""

    name: str
    region: str
    endpoint: str
    access_key_id: str = field(repr=False)
    secret_access_key: str = field(repr=False)
    session_token: str | None = field(repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must be hidden in every text."""
        return tuple(filter(None, (self.access_key_id, self.secret_access_key, self.session_token)))

    @property
    def url_form(self) -> str:
        """How the URL of a part looks that can be read with these credentials."""
        return "s3://bucket/key"

    def url(self, key: str) -> str:
        """Name an object for people."""
        return f"s3://{self.name}/{key}"

    def expired(self) -> bool:
        """Tell whether the credentials are known to be too old; the manifest does not say when these expire."""
        return False

    def of_url(self, url: str) -> tuple[S3Bucket, str] | None:
        """Return bucket and key of an `s3://` URL, with these credentials; None for any other URL."""
        name, _, key = url.removeprefix("s3://").partition("/")
        fits = url.startswith("s3://") and BUCKET_NAME.fullmatch(name) and key
        return (replace(self, name=name), key) if fits else None


@dataclass(frozen=True, slots=True)
class AzureContainer:
    """A container of Azure Blob Storage. `sas` is a shared access signature; `expires` is what the manifest says."""

    name: str
    endpoint: str
    sas: str = field(repr=False)
    expires: dt.datetime | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must be hidden in every text."""
        return (self.sas, *parse_qs(self.sas).get("sig", ()))

    @property
    def account(self) -> str:
        """The storage account: the first part of the host, or the path, where private clouds have it."""
        parts = urlsplit(self.endpoint)
        return parts.path.strip("/") or (parts.hostname or "").partition(".")[0]

    @property
    def url_form(self) -> str:
        """How the URL of a part looks that can be read with these credentials."""
        return f"azure://{self.endpoint.partition('://')[2]}/container/key"

    def url(self, key: str) -> str:
        """Name an object for people."""
        return f"{self.endpoint}/{self.name}/{key}"

    def expired(self) -> bool:
        """Tell whether the credentials are known to be too old."""
        return self.expires is not None and self.expires <= clock.utc_now()

    def of_url(self, url: str) -> tuple[AzureContainer, str] | None:
        """Return container and key of an `azure://host/container/key` URL; None for any other URL.

        Also None for another account than that of the credentials, which are good for one only.
        """
        if not url.startswith("azure://"):
            return None
        host, _, path = url.removeprefix("azure://").partition("/")
        account = urlsplit(self.endpoint).path.strip("/")  # a private cloud may have the account in the path
        if not account and host.partition(".")[0].lower() != self.account.lower():
            return None
        name, _, key = path.removeprefix(f"{account}/" if account else "").partition("/")
        return (replace(self, name=name), key) if BUCKET_NAME.fullmatch(name) and key else None


Bucket = S3Bucket | AzureContainer


@dataclass(frozen=True, slots=True)
class Staged:
    """Where a manifest says that the data are: one object; when `sliced`, one that lists the objects with the rows."""

    bucket: Bucket
    key: str
    sliced: bool

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must be hidden in every text."""
        return self.bucket.secrets


def s3_endpoint(region: str, variables: Mapping[str, str]) -> str:
    """Return where S3 is: by the environment, else Amazon's endpoint of the region; UserError `config.value`."""
    for name in ENDPOINT_VARIABLES:
        if chosen := variables.get(name):
            if is_endpoint(chosen):
                return chosen.rstrip("/")
            raise UserError("config.value", f"{name} is no address", remedy="Set it to http(s)://host, or not at all.")
    return f"https://s3.{region}.amazonaws.com{'.cn' if region.startswith('cn-') else ''}"


def is_endpoint(text: str) -> bool:
    """Tell whether a text is an address that the client takes."""
    found = _ENDPOINT.fullmatch(text)
    return found is not None and all(int(port[1:]) <= HIGHEST_PORT for port in found.group(1, 3) if port)
