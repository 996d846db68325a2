"""Data folders as they go wrong: every document damaged, things of a wrong kind in every place, and names of any bytes.

A layout is what lies at each path below the root. `build` makes it on disk; nothing in a layout leads out of the root,
except links to files that everybody may read.
"""

from __future__ import annotations

import gzip
import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from hypothesis import strategies as st

from tests.strategies import parameters
from tests.strategies.config_documents import KEYS as CONFIG_KEYS
from tests.strategies.config_documents import OUTPUT
from tests.strategies.json_values import changed, texts, values
from tests.strategies.manifests import manifests as typed_manifests

SECRET = "Zk7-the-secret-Qx9"
"""Planted under `#keys` of the configuration and in credentials: it may be in no output."""
STATE_SECRET = "Wq4-of-the-state-Lm2"
"""Planted under a `#key` of the state, which is carried forward: it may be in no text."""


@dataclass(frozen=True)
class Odd:
    """What is no usual file: `to` is where a link leads, how large a file of nothing is, or the mode of a folder."""

    kind: Literal["folder", "pipe", "socket", "link", "closed", "hollow"]
    to: str = ""


Layout = dict[str, bytes | Odd]
"""Content by path; bytes of a name that are no UTF-8 are surrogates, as Python has them."""

ODD = (
    Odd("folder"),
    Odd("pipe"),
    Odd("socket"),
    Odd("closed"),
    Odd("hollow", "200000000000"),
    Odd("folder", "000"),
    Odd("folder", "555"),
    *(Odd("link", to) for to in ("nowhere", ".", "/dev/null", "/dev/zero", "/proc/self/mem", "itself", "\udcff")),
)
NAMES = (
    "t.csv",
    "orders",
    "in.c-main.orders",
    "in.c-main.orders.csv",
    "a.b.c.d",
    "17_orders.csv",
    "orders.csv.gz",
    "two words.csv",
    "100%.csv",
    "%2e%2e%2f",
    "new\nline.csv",
    "tab\tand\x1b[31mred",
    "\u202eright to left",
    "ěščř 表.csv",
    "\udcff\udcfe.csv",
    "-rf",
    "*?[a].csv",
    "'quoted\".csv",
    "#{x}$HOME.csv",
    "t.manifest",
    ".hidden",
    "~",
    "n" * 240,
    "CVS",
    "orders.dataset.zip",
    "1_a.parquet",
    "a=b",
)
ROWS = (
    b"id,name\n1,a\n2,b\n",
    b'"id","name"\n"1",""\n"2",\n',
    b"id,name\r\n1,a\r\n2,b",
    b"\xef\xbb\xbfid,name\n1,a\n",
    b"id,name\n",
    b"id,name",
    b"1,a\n2,b\n",
    b"id;name\n1;a\n",
    b"id,name\n1,a,x\n",
    b'id,name\n1,"a\n',
    b"id,name\n\xff,a\n",
    b"id,id\n1,2\n",
    b"id,name\n\x00,\x00\n",
    b"",
    b"\n\n\n",
    b",\n,\n",
    b"PAR1",
    b"PK\x03\x04",
    gzip.compress(b"id,name\n1,a\n2,b\n", mtime=0),
    gzip.compress(b"id,name\n1,a\n2,b\n", mtime=0)[:-6],
    b"\x1f\x8b",
    b"x" * 70_000,
    b"id,name\n" + b'1,"' + b"a" * 70_000 + b'"\n',
)
MANIFEST_KEYS = (
    "id",
    "name",
    "columns",
    "schema",
    "primary_key",
    "column_metadata",
    "metadata",
    "delimiter",
    "enclosure",
    "has_header",
    "incremental",
    "tags",
    "is_sliced",
    "destination",
    "s3",
    "abs",
    "data_type",
    "distribution_key",
    "#token",
)
names = st.sampled_from(NAMES) | st.text(
    st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), max_size=9
)
usable = names.filter(lambda name: name not in {"", ".", ".."} and len(os.fsencode(name)) <= 255)
huge = st.sampled_from((10**19, -(10**400), 1e308, -0.0, 2**63, 2**64, "9" * 5000, "x" * 5000))


def deep(levels: int) -> Any:
    """A list in a list in a list."""
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


# --- documents ---

damages = st.sampled_from(("cut", "insert", "replace", "repeat"))


@st.composite
def damaged(draw: st.DrawFn, documents: st.SearchStrategy[bytes]) -> bytes:
    """A text as it is, seven times out of eight; else cut, with bytes put in, replaced as a whole, or doubled."""
    text = draw(documents)
    if draw(st.integers(0, 7)):
        return text
    how = draw(damages)
    place = draw(st.integers(0, len(text)))
    if how == "cut":
        return text[:place]
    if how == "insert":
        return text[:place] + draw(st.binary(min_size=1, max_size=3)) + text[place:]
    if how == "repeat":
        return text + text
    return draw(
        st.sampled_from((b"", b" ", b"null", b"[]", b"5", b'"x"', b"[" * 5000, b"\xef\xbb\xbf{}", b"\xff\xfe{\0}\0"))
    )


def json_text(value: Any) -> bytes:
    return json.dumps(value).encode()


def yaml_text(value: Any) -> bytes:
    return yaml.safe_dump(value, allow_unicode=True).encode("utf-8", "surrogatepass")


credentials = st.sampled_from(
    (
        {"access_key_id": "AKIA-key-id", "secret_access_key": SECRET, "session_token": SECRET},
        {"access_key_id": "AKIA-key-id", "secret_access_key": [SECRET]},
        {"sas_connection_string": f"BlobEndpoint=http://127.0.0.1:9/;SharedAccessSignature=sig={SECRET}"},
        {"sas_connection_string": SECRET},
        [],
    )
)
sections = st.fixed_dictionaries(
    {"credentials": credentials},
    optional={
        "bucket": st.sampled_from(("b", "..", "", 5)),
        "container": st.sampled_from(("c", "", None)),
        "key": st.sampled_from(("k", "k.csvmanifest", "")),
        "name": st.sampled_from(("k", "")),
        "region": st.sampled_from(("us-east-1", "no region", "")),
        "isSliced": st.booleans() | values,
        "is_sliced": st.booleans(),
    },
)
"""Sections of a bucket that no request is ever sent to: what is missing in them is found before."""
plain_manifests = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(("in.c-main.orders", 17, "")),
        "name": usable,
        "columns": st.sampled_from((["id", "name"], [], ["id"], ["id", "id"], {"0": "id", "2": "name"})),
        "primary_key": st.sampled_from((["id"], [], ["nobody"], "id")),
        "schema": st.sampled_from(([{"name": "id"}, {"name": "name"}], [], [{"name": 5}], [{"name": "id"}, 5])),
        "delimiter": st.sampled_from((",", ";", "\t", "", "ab", "\n", '"')),
        "enclosure": st.sampled_from(('"', "'", "", ",")),
        "has_header": st.sampled_from((True, False, None, 1)),
        "column_metadata": st.sampled_from(
            ([], {}, {"id": []}, {"id": [{"key": "KBC.datatype.basetype", "value": "INTEGER"}]})
        ),
        "metadata": st.sampled_from(([], {}, [{"key": "a", "value": "b"}])),
        "tags": st.lists(texts, max_size=2),
        "destination": st.sampled_from(("out.c-a.b", "b", "", "a.b")),
        "incremental": st.booleans() | st.none(),
        "source": usable,
    },
)
manifest_values = changed(plain_manifests, MANIFEST_KEYS) | typed_manifests().map(lambda made: made[0]) | values | huge
manifest_texts = damaged(manifest_values.map(json_text) | st.integers(50, 300).map(deep).map(json_text))


def _with_section(pair: tuple[Any, Any, str]) -> Any:
    manifest, section, name = pair
    return {**manifest, name: section} if isinstance(manifest, dict) else {name: section}


unstageable = st.tuples(plain_manifests, sections, st.sampled_from(("s3", "abs"))).map(_with_section)
"""Manifests with a section that lacks something: see `is_complete`."""


def is_complete(manifest: Any) -> bool:
    """Whether a run would send a request by this manifest, for which nobody is there."""
    s3, azure = manifest.get("s3") or {}, manifest.get("abs") or {}
    return all(s3.get(key) for key in ("bucket", "key")) or all(azure.get(key) for key in ("container", "name"))


staged_texts = unstageable.filter(lambda manifest: not is_complete(manifest)).map(json_text)


@st.composite
def fitting_parameters(draw: st.DrawFn) -> dict[str, Any]:
    """Parameters that fit the tables that a layout often has, so that a run gets far."""
    store = {"store": {"url": STORE, "#key": SECRET}} if draw(st.booleans()) else {}
    source = draw(st.sampled_from(("t.csv", "t", "orders", "in.c-main.orders")))
    dataset: dict[str, Any] = {"uuid": "shop", "tables": [{"source": source}]}
    dataset |= draw(
        st.fixed_dictionaries(
            {},
            optional={
                "partition_on": st.sampled_from((["id"], ["name"], ["id", "name"], [])),
                "secondary_indices": st.sampled_from((["name"], [])),
                "mode": st.sampled_from(("append", "overwrite")),
                "on_bad_row": st.sampled_from(("reject", "fail")),
                "metadata": st.dictionaries(texts, values, max_size=1),
            },
        )
    )
    outputs = draw(
        st.lists(
            st.fixed_dictionaries(
                {"dataset": st.sampled_from(("shop", "other"))},
                optional={
                    "name": usable,
                    "as": st.sampled_from(("table", "file")),
                    "slices": st.booleans(),
                    "columns": st.sampled_from((["id"], ["name", "id"])),
                    "destination": st.sampled_from(("out.c-a.b", "b", "a..b", "out.c-a.b.c")),
                    "primary_key": st.sampled_from((["id"], ["nobody"])),
                    "tags": st.lists(texts, max_size=2),
                    "predicates": st.sampled_from(([[["id", "==", "1"]]], [[["id", ">", 1]]], [[["no", "==", 1]]])),
                },
            ),
            max_size=2,
        )
    )
    return {**store, "datasets": [dataset], "outputs": outputs}


ACTIONS = (*["run"] * 8, "", None, 5, "listDatasets", "testConnection", "no such")
STORE = "file:///STORE"
"""Stands for a folder beside the data folder."""
urls = st.sampled_from((STORE, STORE, f"{STORE}/a%20%25/b", "s3://bucket/x", "x", "", "file://"))
secret_things = st.sampled_from((SECRET, [SECRET], {"inner": SECRET}, {"#inner": [SECRET]}, f'{{"token": "{SECRET}"}}'))
free_parameters = parameters.parameters.map(
    lambda found: {**found, "store": {"url": found["store"]["url"], "#key": SECRET}}
)
mapped = st.lists(
    st.fixed_dictionaries(
        {"source": st.sampled_from(("shop", "t", "t.csv", "orders"))},
        optional={
            "destination": st.sampled_from(("out.c-a.b", "a.b", "in.c-main.orders")),
            "columns": st.sampled_from(([], ["id"], "id")),
            "primary_key": st.sampled_from(([], ["id"])),
            "#token": secret_things,
            "incremental": st.sampled_from((True, None, "1")),
        },
    ),
    max_size=2,
)
storages = st.fixed_dictionaries(
    {},
    optional={
        "output": st.fixed_dictionaries(
            {}, optional={"tables": mapped, "default_bucket": st.sampled_from(("in.c-x", "", 5))}
        )
        | OUTPUT,
        "input": st.fixed_dictionaries({}, optional={"tables": mapped, "files": values}) | values,
    },
)
configs = st.fixed_dictionaries(
    {},
    optional={
        "parameters": st.just({}) | fitting_parameters() | fitting_parameters() | free_parameters,
        "storage": storages | storages | st.just([]) | values,
        "image_parameters": st.fixed_dictionaries({"#token": secret_things}, optional={"default_bucket": st.booleans()})
        | st.just([]),
        "authorization": st.fixed_dictionaries({"oauth_api": st.fixed_dictionaries({"#data": secret_things})}),
        "action": st.sampled_from(ACTIONS),
        "rows": values,
        "#secret": secret_things,
        "shared_code_row_ids": values,
        "artifacts": values,
        "a key of tomorrow": values,
    },
)
other_configs = values | st.integers(50, 300).map(deep) | st.just(None)
config_values = st.integers(0, 9).flatmap(
    lambda number: configs if number < 6 else changed(configs, CONFIG_KEYS) if number < 9 else other_configs
)
states = st.fixed_dictionaries(
    {},
    optional={
        "tablemill": st.fixed_dictionaries({"datasets": st.dictionaries(texts, values, max_size=2)}) | values,
        "of another": values | huge,
        "#token": st.just(STATE_SECRET),
    },
)
state_texts = damaged((states | values).map(json_text))


# --- folders ---


@st.composite
def layouts(draw: st.DrawFn, actions: tuple[str, ...] = ()) -> Layout:
    """A whole data folder: inputs of all kinds, documents, leftovers in out/, and odd things in up to two places.

    One of `actions` is that of the configuration, whatever else is in it.
    """
    in_yaml = draw(st.integers(0, 5)) == 1
    odd_part = draw(st.sampled_from(("everything", "configuration", "inputs", "leftovers")))
    found = draw(documents(in_yaml, actions))
    found["in/tables/t.csv"] = draw(st.sampled_from(ROWS[:4]))
    if odd_part in {"everything", "inputs"}:
        _add_items(draw, found, ("in/tables", "in/tables", "in/files"))
    if odd_part in {"everything", "leftovers"}:
        _add_items(draw, found, ("out/tables", "out/files"))
        _add_leftovers(draw, found)
        for _ in range(draw(st.sampled_from((0, 0, 0, 1, 1, 2)))):
            place = draw(st.sampled_from(sorted({*found, *ALWAYS})))
            if not (actions and place.startswith("config")):
                found[place] = draw(st.sampled_from(ODD))
    return found


@st.composite
def documents(draw: st.DrawFn, in_yaml: bool, actions: tuple[str, ...]) -> Layout:
    """The configuration, and mostly a state, in one notation; a configuration with an action is never damaged."""
    written, suffix = (yaml_text, "yml") if in_yaml else (json_text, "json")
    config = _housed(draw(config_values), draw(urls))
    if actions:
        config = {**(config if isinstance(config, dict) else {}), "action": draw(st.sampled_from(actions))}
    text = st.just(written(config))
    found: Layout = {f"config.{suffix}": draw(text if actions else damaged(text))}
    if draw(st.booleans()):
        found[f"in/state.{suffix}"] = draw(state_texts)
    return found


def _add_leftovers(draw: st.DrawFn, found: Layout) -> None:
    for name in ("out/state.json", "out/usage.json", "out/result.json", "junk", "in/user/x", ".git/x"):
        if draw(st.integers(0, 9)) == 0:
            found[name] = draw(state_texts)
    for part in ("in/tables", "in/files", "out/tables", "out/files"):
        if draw(st.integers(0, 9)):
            found.setdefault(part, Odd("folder"))


ALWAYS = (
    "config.json",
    "in/state.json",
    "out/state.json",
    "in",
    "out",
    "in/tables",
    "in/files",
    "out/tables",
    "out/files",
)


def _housed(config: Any, url: str) -> Any:
    """Keep every store that is configured in a folder of the test: a path is a place on this machine."""
    for part in ("parameters", "image_parameters") if isinstance(config, dict) else ():
        inner = config.get(part)
        if isinstance(inner, dict) and isinstance(inner.get("store"), dict) and "url" in inner["store"]:
            inner["store"]["url"] = url
    return config


def _add_items(draw: st.DrawFn, found: Layout, parts: tuple[str, ...]) -> None:
    for part in parts:
        _add_item(draw, found, part)


def _add_item(draw: st.DrawFn, found: Layout, part: str) -> None:
    name = draw(usable | st.just("t.csv"))
    if draw(st.integers(0, 2)) == 0:
        found[f"{part}/{name}"] = Odd("folder")
        for _ in range(draw(st.integers(0, 2))):
            found[f"{part}/{name}/{draw(usable)}"] = draw(st.sampled_from(ROWS))
    elif draw(st.integers(0, 5)):
        found[f"{part}/{name}"] = draw(st.sampled_from(ROWS))
    if draw(st.integers(0, 2)) and len(os.fsencode(name)) <= 246:
        found[f"{part}/{name}.manifest"] = draw(manifest_texts | staged_texts)


def build(root: Path, layout: Mapping[str, bytes | Odd]) -> Path:
    """Make a layout on disk. What lies below something that is no folder is left out."""
    root.mkdir()
    for name in sorted(layout, key=lambda path: path.count("/")):
        path, content = root / name, layout[name]
        with suppress(OSError):  # below what is no folder, or one that nobody may write to
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.parent.resolve().is_relative_to(root) and not os.path.lexists(path):
                _make(path, content, root.parent / "store")
    return root


def _make(path: Path, odd: bytes | Odd, store: Path) -> None:
    if isinstance(odd, bytes):
        path.write_bytes(odd.replace(STORE.encode(), store.as_uri().encode()))
    elif odd.kind == "folder":
        path.mkdir(mode=int(odd.to or "755", 8))
    elif odd.kind == "pipe":
        os.mkfifo(path)
    elif odd.kind == "socket":
        _make_socket(path)
    elif odd.kind == "link":
        path.symlink_to(path.name if odd.to == "itself" else odd.to)
    else:
        path.touch()
        if odd.kind == "hollow":
            os.truncate(path, int(odd.to))
        path.chmod(0 if odd.kind == "closed" else 0o644)


def _make_socket(path: Path) -> None:
    """A socket has a short path only: it is made in its folder."""
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.fsencode(path.name)[:90])
    finally:
        os.fchdir(here)
        os.close(here)
