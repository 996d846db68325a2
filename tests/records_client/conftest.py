from tests.records_client.process import client

__all__ = ["client"]
