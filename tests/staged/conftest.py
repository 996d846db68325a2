from __future__ import annotations

import pytest

from tests.runner.conftest import folder, refused, run, scratch
from tests.staged.faulty import faulty_way
from tests.staged.servers import azure_server, s3_server

__all__ = ["folder", "refused", "run", "scratch"]


@pytest.fixture(scope="session")
def s3():
    """S3, as it is."""
    with s3_server() as server:
        yield server


@pytest.fixture(scope="session")
def azure():
    """Azure Blob Storage, as it is."""
    with azure_server() as server:
        yield server


@pytest.fixture
def way(s3):
    """The way to S3, which a test may make faulty."""
    with faulty_way(s3.endpoint) as found:
        yield found


@pytest.fixture(autouse=True)
def not_amazon(request, monkeypatch):
    """Send what is asked of S3 to the server that a test uses, through the faulty way if it has one."""
    for name in ("way", "s3"):
        if name in request.fixturenames:
            monkeypatch.setenv("AWS_ENDPOINT_URL_S3", request.getfixturevalue(name).endpoint)
            return
