"""The options as data: variables, values they take, and the group's list of verbs."""

import importlib
from typing import Any

import click
import pytest

from evalgate_sql.cli.check import command
from evalgate_sql.cli.group import cli
from evalgate_sql.cli.options import FileName, Ratio, ReportTarget, Seconds

OPTIONS = [parameter for parameter in command.params if isinstance(parameter, click.Option)]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.opts[0])
def test_every_option_has_its_variable(option: click.Option) -> None:
    """`--timeout-ms` is EVALGATE_SQL_TIMEOUT_MS, and so on for all."""
    (long_name,) = [name for name in option.opts if name.startswith("--")]
    assert option.envvar == "EVALGATE_SQL_" + long_name.removeprefix("--").replace("-", "_").upper()


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.opts[0])
def test_every_option_has_help(option: click.Option) -> None:
    """No option stands in the help without a sentence."""
    assert option.help
    assert option.help.endswith((".", "]."))


@pytest.mark.parametrize("verb", cli.list_commands(click.Context(cli)))
def test_help_of_the_group_says_what_the_command_says(verb: str) -> None:
    """The group's line for a verb is the first line of the command's own help, and there is such a command."""
    own: click.Command = importlib.import_module(f"evalgate_sql.cli.{verb}").command
    formatter = click.HelpFormatter(width=200)
    cli.format_commands(click.Context(cli), formatter)
    assert own.name == verb
    assert (own.help or "").splitlines()[0] in formatter.getvalue()


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("report.json", ("json", "report.json")),
        ("json=report.json", ("json", "report.json")),
        ("human=a=b.txt", ("human", "a=b.txt")),
        ("./pdf=x", ("json", "./pdf=x")),
        ("out/a=b.json", ("json", "out/a=b.json")),
        ("=x", ("json", "=x")),
    ],
)
def test_report_target_is_read(text: str, target: tuple[str, str]) -> None:
    """What stands before the first `=` is a kind if it is a word."""
    assert ReportTarget().convert(text, None, None) == target


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ReportTarget(), "pdf=report.pdf"),
        (ReportTarget(), "json="),
        (ReportTarget(), ""),
        (Ratio(), "1.0001"),
        (Ratio(), "-0.1"),
        (Ratio(), "nan"),
        (Ratio(), "most"),
        (Ratio(), "-0.0"),
        (Ratio(), "0.4_9"),
        (Ratio(), "\u0661"),
        (Ratio(), "1e-400"),
        (Seconds(), "0"),
        (Seconds(), "inf"),
        (Seconds(), "nan"),
        (Seconds(), "soon"),
        (FileName(), "postgresql://host/db"),
    ],
)
def test_bad_value_is_refused(kind: Any, text: str) -> None:  # noqa: ANN401 - any of our types
    """A value out of bounds, or of another kind, does not get through."""
    with pytest.raises(click.UsageError):
        kind.convert(text, None, None)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(Ratio(), "1", 1.0), (Ratio(), "0", 0.0), (Ratio(), "9.5e-1", 0.95), (Seconds(), ".5", 0.5)],
)
def test_good_value_is_read(kind: Any, text: str, value: float) -> None:  # noqa: ANN401 - any of our types
    """The bounds themselves belong to a range."""
    assert kind.convert(text, None, None) == value
