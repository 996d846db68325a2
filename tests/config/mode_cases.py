"""Wrong configurations of modes and of what goes with them, with the code and the whole text of the error of each."""

from __future__ import annotations


def dataset(**given):
    return {"parameters": {"datasets": [{"uuid": "flights", **given}]}}


CASES = [
    (
        dataset(mode="replace_partitions", delete_scope=[]),
        "config.value",
        (
            "parameters.datasets[0].delete_scope must not be empty. "
            "Leave it out to replace the partitions that the new rows are of."
        ),
    ),
    (
        dataset(mode="replace_partitions", delete_scope=[{"day": 1}, {}]),
        "config.value",
        (
            "parameters.datasets[0].delete_scope[1] must be an object of partition keys with their values, and not an "
            "empty one. An empty condition would match every partition."
        ),
    ),
    (
        dataset(mode="replace_partitions", delete_scope=[{"day": None}]),
        "config.value",
        "parameters.datasets[0].delete_scope[0] must give 'day' one plain value, but gives null.",
    ),
    (
        dataset(mode="replace_partitions", partition_on=["day"], delete_scope=[{"month": 1}]),
        "config.value",
        (
            "parameters.datasets[0].delete_scope[0] names 'month', which partition_on does not name. "
            "Only whole partitions are replaced."
        ),
    ),
    (
        dataset(mode="append", delete_scope=[{"day": 1}]),
        "config.value",
        (
            'parameters.datasets[0].delete_scope is not used by mode "append". '
            'Set mode to "replace_partitions", or leave it out.'
        ),
    ),
    (
        dataset(key=["id"]),
        "config.value",
        (
            'parameters.datasets[0].key is not used by mode "overwrite". '
            'Set mode to "upsert" or "delete", or leave it out.'
        ),
    ),
    (
        dataset(keep={"commits": 0}),
        "config.value",
        "parameters.datasets[0].keep.commits must be greater than 0, but is the number 0.",
    ),
]
