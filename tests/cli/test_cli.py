import subprocess
import sys

import pytest
from typer.testing import CliRunner

from component import __version__
from component.cli.main import app
from component.cli.run import run_folder


def test_the_version_is_printed():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"tablemill {__version__}\n")


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_help_names_the_commands(arguments):
    result = CliRunner().invoke(app, arguments)
    assert "run" in result.output
    assert "Mill data folders" in result.output


def test_the_help_of_a_command_has_an_example():
    result = CliRunner().invoke(app, ["run", "--help"])
    assert result.exit_code == 0
    assert "Example: tablemill run --data ./data-sample" in result.output


def test_an_unknown_option_is_told_without_a_trace():
    result = CliRunner().invoke(app, ["run", "--dta", "x"])
    assert result.exit_code != 0
    assert "Traceback" not in result.output


def test_spark_is_not_loaded_before_it_is_needed():
    loaded = "[name for name in ('pyspark', 'pyarrow', 'pandas') if name in sys.modules]"
    program = f"import sys, component.cli.main; print({loaded})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("given", ["argument", "variable"])
def test_the_data_folder_is_the_option_or_the_variable(tmp_path, capsys, given):
    variables = {"KBC_DATADIR": str(tmp_path)} if given == "variable" else {"KBC_DATADIR": "/elsewhere"}
    assert run_folder(variables, tmp_path if given == "argument" else None) == 1
    assert f"There is no config.json in the data folder '{tmp_path}'" in capsys.readouterr().err


def test_an_environment_that_is_wrong_is_one_sentence(tmp_path, capsys):
    assert run_folder({"KBC_LOGGER_ADDR": "x", "KBC_LOGGER_PORT": "many"}, tmp_path) == 1
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.count("\n") == 1
    assert "KBC_LOGGER_PORT" in seen.err


def test_what_libraries_log_is_not_put_onto_stderr():
    program = (
        "import atexit, logging, sys; from component.cli.main import main; sys.argv = ['tablemill', '--version'];"
        "atexit.register(logging.error, 'KeyboardInterrupt while sending command.'); main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"tablemill {__version__}\n", "")
