from __future__ import annotations

import pytest

from tests.staged.servers import s3_server


@pytest.fixture(scope="session")
def s3():
    """S3 with a bucket for records directories."""
    with s3_server() as server:
        server.bucket("records")
        yield server
