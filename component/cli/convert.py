"""`tablemill convert`: one table in any format to any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from component import clock
from component.cli.convert_options import DatasetOptions, MoreOptions, ReadOptions, WriteOptions, options_of
from component.cli.grouped import grouped
from component.cli.run import Voice
from component.convert.words import FromWord, ToWord
from component.report.messages.opening import open_progress

if TYPE_CHECKING:
    from component.report.results.summary import RunSummary


@grouped
def convert(
    source: Annotated[str, typer.Argument(metavar="SRC", help="A file, folder, URL, or dataset as STORE/UUID.")],
    target: Annotated[
        str, typer.Argument(metavar="DST", help="A file, a folder or URL with / at its end, STORE/UUID.")
    ],
    read: ReadOptions,
    write: WriteOptions,
    dataset: DatasetOptions,
    more: MoreOptions,
    source_kind: Annotated[
        FromWord | None, typer.Option("--from", help="What the source is; default: by its content.", show_default=False)
    ] = None,
    target_kind: Annotated[
        ToWord | None, typer.Option("--to", help="What is written; default: by the name.", show_default=False)
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")] = False,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["text", "json"], typer.Option(help="How the summary is printed.")
    ] = "text",
) -> None:
    """Convert one table: records directory, dataset, CSV, Parquet, Avro, Arrow, JSON and Excel to any of the first."""
    voice = Voice(format == "json")
    try:

        def work() -> RunSummary:
            voice.speak_here()
            progress = open_progress(voice.terminal, voice.log, clock.monotonic)
            try:
                progress.stage("plan")  # the screen shows life before the imports, which take most of a second
                import tablemill  # noqa: PLC0415

                options = options_of(read, write, dataset, more)
                return tablemill.convert(
                    source,
                    target,
                    source_kind=source_kind,
                    target_kind=target_kind,
                    overwrite=overwrite,
                    table=options.table,
                    dataset=options.dataset,
                    output=options.output,
                    parameters=options.parameters,
                    log=voice.log,
                    progress=progress,
                )
            finally:
                progress.finish()

        voice.conclude(work())
    except BaseException as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        raise typer.Exit(voice.fail(error)) from None
    finally:
        voice.log.close()
