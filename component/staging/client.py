"""The one module that speaks to buckets. It is imported only where one is read: most runs have none."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from typing import Any, Final

import obstore
from obstore.exceptions import BaseError, InvalidPathError
from obstore.store import AzureStore, S3Store

from component.staging.buckets import AzureContainer, Bucket, S3Bucket

__all__ = ["FAULTS", "RETRIES", "InvalidPathError", "client_of", "get_range"]

FAULTS: Final = (BaseError, OSError)
"""What a call raises; for some faults the client has Python's own errors."""
RETRIES: Final = 6
_CONNECT_TIMEOUT: Final = dt.timedelta(seconds=10)
_REQUEST_TIMEOUT: Final = dt.timedelta(minutes=2)
_RETRY_TIMEOUT: Final = dt.timedelta(minutes=3)
_BACKOFF: Final[Any] = {
    "init_backoff": dt.timedelta(milliseconds=100),
    "max_backoff": dt.timedelta(seconds=10),
    "base": 2,
}


def get_range(bucket: Bucket, key: str, start: int, stop: int, tag: str | None) -> obstore.GetResult:
    """Ask for a range of an object, of the version with that tag if one is given; the body is yet to be read."""
    options: Any = {"range": (start, stop), **({"if_match": tag} if tag else {})}
    return obstore.get(client_of(bucket, RETRIES), key, options=options)


@lru_cache(maxsize=64)
def client_of(bucket: Bucket, retries: int) -> S3Store | AzureStore:
    """Return the client of a bucket, one in each process; a request that is not answered is repeated `retries` times.

    Credentials come by a provider: given as options they would be mixed with those of the environment.
    """
    options: Any = {
        "client_options": {
            "allow_http": bucket.endpoint.startswith("http://"),
            "connect_timeout": _CONNECT_TIMEOUT,
            "timeout": _REQUEST_TIMEOUT,
        },
        "retry_config": {"max_retries": retries, "backoff": _BACKOFF, "retry_timeout": _RETRY_TIMEOUT},
        "endpoint": bucket.endpoint,
        "skip_signature": False,
    }
    return _s3(bucket, options) if isinstance(bucket, S3Bucket) else _azure(bucket, options)


def _s3(bucket: S3Bucket, options: Any) -> S3Store:
    keys: Any = {
        "access_key_id": bucket.access_key_id,
        "secret_access_key": bucket.secret_access_key,
        "expires_at": None,
    }
    if bucket.session_token:
        keys["token"] = bucket.session_token
    return S3Store(
        bucket.name,
        region=bucket.region,
        virtual_hosted_style_request=False,
        credential_provider=lambda: keys,
        **options,
    )


def _azure(bucket: AzureContainer, options: Any) -> AzureStore:
    keys: Any = {"sas_token": bucket.sas, "expires_at": None}
    return AzureStore(bucket.name, account_name=bucket.account, credential_provider=lambda: keys, **options)
