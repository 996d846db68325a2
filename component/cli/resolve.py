"""`tablemill resolve`: where the outputs of a folder would land, by the rules of the platform."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from component.cli.boundary import fail
from component.cli.grouped import grouped
from component.cli.printing import print_json, print_tables
from component.report.messages.lines import LineHandler
from component.report.messages.log import Log

if TYPE_CHECKING:
    from component.config.environment import Environment
    from component.folder.layout import DataFolder
    from component.mapping.platform.settings import JobFacts
    from component.report.results.resolution import ResolutionReport
    from component.runner.destinations import Outcome


@dataclass(frozen=True, slots=True)
class JobOptions:
    """What the platform knows of the job, and a folder does not say."""

    default_bucket: Annotated[
        str | None, typer.Option(metavar="ID", help="The default bucket in force, over any other.", show_default=False)
    ] = None
    component_default_bucket: Annotated[
        Literal["in", "out"] | None,
        typer.Option(
            help="The component is registered with a default bucket in this stage; needs its id and that of the"
            " configuration.",
            show_default=False,
        ),
    ] = None
    component_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Default is KBC_COMPONENTID.", show_default=False)
    ] = None
    config_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Default is KBC_CONFIGID.", show_default=False)
    ] = None
    branch_id: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="A development branch whose tables live in prefixed buckets. KBC_BRANCHID is not used: it is set on"
            " the main branch too.",
            show_default=False,
        ),
    ] = None
    failed_job: Annotated[
        bool, typer.Option("--failed-job", help="The job has failed: only outputs with write_always are loaded.")
    ] = False
    data_types: Annotated[
        Literal["none", "hints", "authoritative"] | None,
        typer.Option(
            help="The component's data type support, of a project with --feature new-native-types; default is"
            " KBC_DATA_TYPE_SUPPORT. storage.output.data_type_support wins over it.",
            show_default=False,
        ),
    ] = None
    feature: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A feature of the project, beside those in KBC_PROJECT_FEATURE_GATES. May be given several times.",
            show_default=False,
        ),
    ] = None
    mapping: Annotated[
        Literal["raw", "normalized"],
        typer.Option(
            help="The mapping in config.json as written (raw), or with the defaults that a real job fills in first"
            " (normalized), which is what users of the platform meet: an entry without primary_key empties the"
            " manifest's."
        ),
    ] = "normalized"
    use_file_storage_only: Annotated[
        bool, typer.Option("--use-file-storage-only", help="The job uploads its tables as files.")
    ] = False

    def facts(self) -> JobFacts:
        """Return it as the rules take it."""
        from component.mapping.platform.model import DataTypes, MappingLayer  # noqa: PLC0415
        from component.mapping.platform.settings import JobFacts  # noqa: PLC0415 - loaded only by the command that needs it

        given = (name.strip() for names in self.feature or () for name in names.split(","))
        return JobFacts(
            default_bucket=self.default_bucket,
            default_bucket_stage=self.component_default_bucket,
            component_id=self.component_id,
            config_id=self.config_id,
            branch_id=self.branch_id,
            failed_job=self.failed_job,
            data_types=DataTypes(self.data_types) if self.data_types else None,
            features=frozenset(name for name in given if name),
            mapping_layer=MappingLayer(self.mapping),
            table_files_only=self.use_file_storage_only,
        )


@grouped
def resolve(
    job: JobOptions,
    data: Annotated[
        Path | None, typer.Option(help="The data folder; default is KBC_DATADIR, else /data.", show_default=False)
    ] = None,
    rules: Annotated[
        Literal["seed", "2017", "2026"],
        typer.Option(
            help="Whose rules: the documentation of 2017 to the letter, the platform's code of 2017, or of today."
        ),
    ] = "2026",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings of ours too.")] = False,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["text", "json"], typer.Option(help="How the answer is printed.")
    ] = "text",
) -> None:
    """Say where the outputs of a folder would land, without Spark and without a connection.

    The mapping comes from config.json; a folder without one has none. While out/ is empty, the outputs are those that a
    run would make of the configuration and in/. Exit code 0: nothing refused; 1: the platform would refuse the outputs,
    or the folder cannot be read.
    """
    raise typer.Exit(resolve_folder(os.environ, data, job.facts(), rules, strict=strict, as_json=format == "json"))


def resolve_folder(
    variables: Mapping[str, str],
    data: Path | None,
    facts: JobFacts,
    rules: str,
    *,
    strict: bool = False,
    as_json: bool = False,
) -> int:
    """Print where the outputs of a folder would land and return the exit code; an error is one sentence on stderr."""
    try:
        report = _report({**variables, "KBC_DATADIR": str(data)} if data is not None else variables, facts, rules)
        _show(report, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        return fail(error, Log(LineHandler(sys.stderr)))
    # a run is refused what Storage would refuse, so a prediction is too; outputs that are there are judged as by a job
    refused = report.job.refusal if report.predicted else report.job.error
    warned = any(finding.level.value != "note" for finding in report.job.findings)
    return 1 if refused is not None or (strict and warned) else 0


def _report(variables: Mapping[str, str], facts: JobFacts, rules: str) -> ResolutionReport:
    from component.check.output_mapping import read_config, read_question  # noqa: PLC0415
    from component.config.environment import Environment  # noqa: PLC0415
    from component.folder.layout import DataFolder  # noqa: PLC0415
    from component.folder.links import hold_links  # noqa: PLC0415
    from component.report.results.resolution import ResolutionReport  # noqa: PLC0415

    environment = Environment.from_variables(variables)
    folder = DataFolder(environment.data_dir)
    hold_links(folder.root, follow_input=True)
    document = read_config(folder)
    question = read_question(folder, document, facts, environment)
    there = question.tables.sources or question.files.files
    predicted = None if there else _predicted(folder, document, environment, facts)
    if predicted is not None:
        question = replace(question, tables=predicted.tables, files=predicted.files)
    found = question.answers()
    job = next(resolution for resolution in found.resolutions if resolution.rules == rules)
    if predicted is not None:
        job = job.with_findings(predicted.findings)
    out = str(folder.root / "out")
    differ = found.disagreements
    return ResolutionReport(job, question.tables, question.files, differ, predicted=predicted is not None, out=out)


def _predicted(folder: DataFolder, document: Any, environment: Environment, facts: JobFacts) -> Outcome | None:
    """Return the outputs that a run would make; None where there is nothing to run, as in another component's folder.

    UserError for what a run would be refused for.
    """
    from component.config.load import is_ours, parse_config, placed  # noqa: PLC0415 - no pydantic for what is there
    from component.runner.predict import foresee  # noqa: PLC0415 - nor Arrow

    if not is_ours(document):
        return None
    config = placed(parse_config(document), folder.root)
    prediction = foresee(folder, config, environment, facts)
    return None if prediction is None else prediction.made()


def _show(report: ResolutionReport, *, as_json: bool) -> None:
    if as_json:
        from component.report.results.resolution import render_resolution_json  # noqa: PLC0415

        print_json(render_resolution_json(report))
        return
    from component.report.results.resolution_tables import show_resolution  # noqa: PLC0415

    print_tables(lambda console: show_resolution(report, console))
