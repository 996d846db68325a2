import pytest

from component.spark.jvm import complaint

WARNED = "WARNING: Using incubator modules: jdk.incubator.vector\n"
THROWN = 'Exception in thread "main"'
GAVE_UP = """Error: Could not create the Java Virtual Machine.
Error: A fatal exception has occurred. Program will exit.
"""
FRAMES = """
\tat org.apache.spark.deploy.SparkSubmit.error(SparkSubmit.scala:1068)
\tat org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)
\t... 3 more
"""


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (
            f"{WARNED}{THROWN} org.apache.spark.SparkException: Master must either be yarn or start with spark{FRAMES}",
            "Master must either be yarn or start with spark",
        ),
        (
            f"Invalid maximum heap size: -Xmxhuge\n{GAVE_UP}",
            "Invalid maximum heap size: -Xmxhuge",
        ),
        ("Error occurred during initialization of VM\nToo small maximum heap.\n", "Too small maximum heap"),
        (f"java.lang.ClassNotFoundException: no.such.Class{FRAMES}", "ClassNotFoundException: no.such.Class"),
        (
            f"26/11/21 04:43:02 WARN SparkConf: Note that\njava.nio.file.NoSuchFileException: /proc/x{FRAMES}",
            "NoSuchFileException: /proc/x",
        ),
        ("", "no output"),
        (FRAMES, "no output"),
        ("x" * 1000, "x" * 300),
    ],
)
def test_the_line_that_says_what_is_wrong_is_heard_without_traces_and_packages(said, heard):
    assert complaint(said) == heard
