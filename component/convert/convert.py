"""A conversion carried out: a run on a data folder of its own, and its output moved to where it is wanted."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

from component import identity
from component.config.environment import Environment
from component.config.load import load_config
from component.convert.configuration import Options, configuration, result_name
from component.convert.places import ConversionSource, Target, is_dataset
from component.convert.words import From, To
from component.errors import CommitRefusedError, UserError
from component.folder.layout import DataFolder, writing
from component.naming import CONFIG_FILE, MANIFEST_SUFFIX
from component.report.messages.log import Log
from component.report.messages.progress import Progress
from component.report.results.summary import RunSummary
from component.runner.interrupts import interruptible
from component.runner.run import StartEngine, run
from component.workbench.files.arrow_file import sidecar_of

_MANIFEST: Final = {"is_public": False, "tags": []}


def convert(
    source: ConversionSource,
    target: Target,
    options: Options,
    log: Log,
    progress: Progress,
    *,
    overwrite: bool,
    start: StartEngine,
) -> RunSummary:
    """Convert a source to a target; a file that is there is replaced, and a dataset overwritten, only if allowed.

    A signal stops it as it stops a run; afterwards signals are those of the caller again.

    Raises what a run raises; then the target is as it was. UserError `output.exists` when it is there.
    """
    _check_target(source, target, options, overwrite=overwrite)
    with interruptible(), tempfile.TemporaryDirectory(prefix="tablemill-convert-") as scratch:
        root = Path(scratch)
        folder = _folder(root / "data", source)
        config = configuration(source, target, options, str(root / "store"))
        (folder.root / CONFIG_FILE).write_text(json.dumps(config), encoding="utf-8")
        environment = Environment.from_variables({}, folder.root)
        summary = run(environment, load_config(folder.root, hide=log.hide), log, progress, start=start)
        if isinstance(target.place, Path) and target.kind is not To.DATASET:
            _move_results(folder, target)
        return _as_seen(summary, source, target)


def _as_seen(summary: RunSummary, source: ConversionSource, target: Target) -> RunSummary:
    """Return the summary without the dataset in between, its losses told of the target, which has its own name."""
    in_between = From.DATASET is not source.kind and To.DATASET is not target.kind
    where = str(target.place)
    outputs = tuple(replace(one, name=source.name, destination=where, rule=str(target.kind)) for one in summary.outputs)
    if not in_between:
        return replace(summary, outputs=outputs)
    read = tuple(lost for dataset in summary.datasets for lost in dataset.losses)
    return replace(summary, datasets=(), outputs=tuple(replace(one, losses=(*read, *one.losses)) for one in outputs))


def _check_target(source: ConversionSource, target: Target, options: Options, *, overwrite: bool) -> None:
    if source.kind is From.DATASET and target.kind is To.DATASET:
        raise UserError(
            "config.value",
            "A dataset is not converted to a dataset",
            remedy="Use tablemill dataset copy.",
        )
    if not isinstance(target.place, Path) or overwrite:
        return
    if target.kind is To.DATASET:
        if is_dataset(target.place) and options.dataset.get("mode", "overwrite") == "overwrite":
            raise CommitRefusedError(
                "commit.refused",
                f"The dataset {str(target.place)!r} already exists",
                remedy="Add --mode append or upsert to add to it, or --overwrite to replace it.",
            )
    elif (target.kind is not To.RECORDS or target.zipped) and target.place.exists():
        raise UserError(
            "output.exists", f"The file {str(target.place)!r} already exists", remedy="Add --overwrite to replace it."
        )


def _folder(root: Path, source: ConversionSource) -> DataFolder:
    """Return a data folder that has the source as its only input, by a link."""
    folder = DataFolder(root)
    folder.in_files.mkdir(parents=True)
    if source.kind is From.DATASET or isinstance(source.place, str):
        return folder
    link = folder.in_files / source.name
    link.symlink_to(source.place)
    _describe(link)
    beside = sidecar_of(source.place)
    if beside.is_file():
        (folder.in_files / beside.name).symlink_to(beside)
        _describe(folder.in_files / beside.name)
    return folder


def _describe(file: Path) -> None:
    """Write the manifest that a file of the platform has, so that nobody is warned of its absence."""
    file.with_name(file.name + MANIFEST_SUFFIX).write_text(json.dumps(_MANIFEST), encoding="utf-8")


def _move_results(folder: DataFolder, target: Target) -> None:
    """Move the output, and its sidecar first if it has one; each is there whole or not at all."""
    if target.kind is To.RECORDS and not target.zipped:
        return
    place = Path(target.place)
    result = folder.out_files / result_name(target)
    for made, wanted in ((sidecar_of(result), sidecar_of(place)), (result, place)):
        if made.is_file():
            _move(made, wanted)


def _move(made: Path, wanted: Path) -> None:
    hidden = wanted.with_name(f".{identity.new_hex()}.part")
    with writing(wanted):
        wanted.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.move(made, hidden)
            hidden.replace(wanted)
        finally:
            hidden.unlink(missing_ok=True)
