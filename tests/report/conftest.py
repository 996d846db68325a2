from __future__ import annotations

import pytest

from tests.report.log_server import PlatformLogServer

__all__ = ["PlatformLogServer"]


@pytest.fixture
def log_server():
    server = PlatformLogServer()
    yield server
    server.stop()


@pytest.fixture(params=["tcp", "udp", "http"])
def any_log_server(request):
    server = PlatformLogServer(request.param)
    yield server
    server.stop()
