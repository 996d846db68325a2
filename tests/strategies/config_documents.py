"""What the platform writes into config.json, whole, with every key that it may hold (reference keboola 1.2)."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies import parameters
from tests.strategies.json_values import scalars, texts, values

KEYS = (
    "source",
    "destination",
    "columns",
    "column_types",
    "where_values",
    "tags",
    "limit",
    "overwrite",
    "tables",
    "files",
    "input",
    "output",
    "default_bucket",
    "table_files",
    "#secret",
    "store",
    "credentials",
)


def php_list(items: st.SearchStrategy[Any], max_size: int = 3) -> st.SearchStrategy[Any]:
    """A list, or the object with numbered keys that PHP writes for one with gaps."""
    listed = st.lists(items, max_size=max_size)
    return listed | listed.map(lambda found: {str(2 * place): item for place, item in enumerate(found)})


def php_object(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object with some of the keys, null for some of them; `[]` for an empty one."""
    some = st.fixed_dictionaries({}, optional={key: st.none() | value for key, value in keys.items()})
    return some.map(lambda found: found or [])


FLAG = st.booleans()
COUNT = st.integers(0, 10**6)
TEXT = texts | st.integers()
INPUT_TABLE = php_object(
    source=texts,
    source_search=php_object(key=texts, value=TEXT),
    source_branch_id=TEXT,
    destination=texts,
    columns=php_list(TEXT),
    column_types=php_list(
        php_object(
            source=texts,
            destination=texts,
            type=texts,
            length=TEXT,
            nullable=FLAG,
            convert_empty_values_to_null=FLAG,
        )
    ),
    where_column=texts,
    where_operator=st.sampled_from(("eq", "ne")),
    where_values=php_list(TEXT),
    limit=COUNT,
    days=COUNT,
    changed_since=texts,
    overwrite=FLAG,
    use_view=FLAG,
    keep_internal_timestamp_column=FLAG,
    load_type=st.sampled_from(("COPY", "CLONE", "VIEW", "AUTO")),
    file_type=st.sampled_from(("csv", "parquet")),
)
INPUT_FILE = php_object(
    tags=php_list(texts),
    source=php_object(tags=php_list(php_object(name=texts, match=st.sampled_from(("include", "exclude"))))),
    query=texts,
    file_ids=php_list(TEXT),
    limit=COUNT,
    processed_tags=php_list(texts),
    changed_since=texts,
    overwrite=FLAG,
)
OUTPUT = php_object(
    tables=php_list(st.dictionaries(texts, values, max_size=3)),
    files=php_list(st.dictionaries(texts, values, max_size=3)),
    default_bucket=texts,
    data_type_support=st.sampled_from(("authoritative", "hints", "none")),
    table_modifications=st.sampled_from(("none", "non-destructive", "all")),
    treat_values_as_null=php_list(texts),
    table_files=php_object(tags=php_list(texts), is_permanent=FLAG),
)
secrets = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=4, max_size=10)
documents = php_object(
    storage=php_object(
        input=php_object(tables=php_list(INPUT_TABLE), files=php_list(INPUT_FILE), read_only_storage_access=FLAG),
        output=OUTPUT,
    ),
    parameters=parameters.parameters,
    image_parameters=php_object(logger=st.sampled_from(("tcp", "udp", "http")), default_bucket=FLAG),
    authorization=php_object(
        oauth_api=php_object(id=TEXT, version=TEXT, credentials=php_object(id=TEXT, **{"#data": secrets})),
        workspace=php_object(host=texts, password=texts),
        context=texts,
    ),
    action=st.just("run"),
    shared_code_id=TEXT,
    shared_code_row_ids=php_list(TEXT),
    variables_id=TEXT,
    variables_values_id=TEXT,
    artifacts=php_object(runs=php_object(enabled=FLAG)),
    **{"a key of tomorrow": scalars},
)
