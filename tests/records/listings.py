"""Listings for tests: of a new folder, and of a bucket of a real server."""

from __future__ import annotations

from component.records.places import LocalListing, open_listing
from tests.staged.servers import REGION


def local_listing(tmp_path):
    return LocalListing(tmp_path / "a b" / "records")


def bucket_listing(s3, tmp_path, prefix="somewhere"):
    return open_listing(f"s3://records/{prefix}/{tmp_path.name}/", variables_of(s3))


def variables_of(s3):
    return {
        "AWS_ENDPOINT_URL_S3": s3.endpoint,
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": s3.owner._request_signer._credentials.access_key,
        "AWS_SECRET_ACCESS_KEY": s3.owner._request_signer._credentials.secret_key,
    }
