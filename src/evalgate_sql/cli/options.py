"""The options that commands share. Every option has a variable: `--timeout-ms` is EVALGATE_SQL_TIMEOUT_MS too."""

import math
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evalgate_sql.limits import DEFAULT_MAX_ROWS, DEFAULT_TIMEOUT_MS, MAX_ROWS, MAX_TIMEOUT_MS, MIN_ROWS, MIN_TIMEOUT_MS

Command = TypeVar("Command", bound=Callable[..., Any])

if TYPE_CHECKING:
    _FloatType = click.ParamType[float]
    _PathType = click.ParamType[str]
    _TargetType = click.ParamType[tuple[str, str]]
else:
    # Older releases of click have the class, but nothing to fill in.
    _FloatType = _PathType = _TargetType = click.ParamType

PREFIX = "EVALGATE_SQL_"
REPORT_KINDS = ("json", "human")


_DECIMAL = re.compile(r"\s*(?P<digits>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*", re.ASCII)


def _decimal(value: object) -> float:
    """Return an unsigned decimal as people write it, or NaN for anything else and for what rounds to nothing."""
    match = _DECIMAL.fullmatch(str(value))
    number = float(match.group()) if match else math.nan
    vanished = number == 0 and match is not None and match["digits"].strip("0.") != ""
    return math.nan if vanished else number


class Ratio(_FloatType):
    """A finite number from 0 to 1."""

    name = "ratio"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or fail."""
        ratio = _decimal(value)
        if not 0 <= ratio <= 1:
            self.fail("has to be a number from 0 to 1", param, ctx)
        return ratio


class Seconds(_FloatType):
    """A finite number above 0."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or fail."""
        seconds = _decimal(value)
        if not 0 < seconds < math.inf:
            self.fail("has to be a number of seconds above 0", param, ctx)
        return seconds


class FileName(_PathType):
    """The name of a file, and not a URL: one may hold a password, and errors name the file they are about."""

    name = "file"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or fail without it."""
        if "://" in str(value):
            self.fail("takes a file and was given a URL", param, ctx)
        return str(value)


class ReportTarget(_TargetType):
    """`PATH`, which is JSON, or `KIND=PATH`."""

    name = "[kind=]path"
    envvar_list_splitter = os.pathsep

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Return kind and path, or fail. What stands before `=` is a kind only if it looks like one."""
        if isinstance(value, tuple):
            return value
        kind, equals, path = FileName().convert(value, param, ctx).partition("=")
        if not equals or not kind.replace("-", "").isalpha():
            kind, path = "json", str(value)
        if kind not in REPORT_KINDS:
            self.fail(
                f"knows the kinds {', '.join(REPORT_KINDS)}, not {kind!r}; write ./{value} for a file", param, ctx
            )
        if not path:
            self.fail("needs a path", param, ctx)
        return kind, path


def option(*declarations: str, **settings: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - click's own types
    """Declare an option with its variable."""
    name = next(part for part in declarations[0].split("/") if part.startswith("--")).removeprefix("--")
    variable = PREFIX + name.replace("-", "_").upper()
    return click.option(*declarations, envvar=variable, show_default=True, **settings)


def _stacked(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


limit_options = _stacked(
    option(
        "--timeout-ms",
        type=click.IntRange(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS),
        default=DEFAULT_TIMEOUT_MS,
        help="Wall time of each query, in milliseconds.",
    ),
    option(
        "--max-rows", type=click.IntRange(MIN_ROWS, MAX_ROWS), default=DEFAULT_MAX_ROWS, help="Rows a query may return."
    ),
    option("--min-accuracy", type=Ratio(), default=1.0, help="Accuracy at which the gate passes, 0 to 1."),
    option("--max-duration", type=Seconds(), default=None, help="Seconds for the whole job; then exit 7."),
    option("--jobs", type=click.IntRange(min=1, max=256), default=None, help="Cases at once [default: by machine]."),
)

policy_options = _stacked(
    option(
        "--policy",
        type=FileName(),
        metavar="NAME@N|FILE",
        default=None,
        help="What SQL may call [default: newest shipped].",
    ),
    option("--enable-group", metavar="NAME", multiple=True, help="Enable a group that is off, such as clock."),
)

selection_options = _stacked(
    option("--case", "case_ids", metavar="ID", multiple=True, help="Run this case only; repeatable."),
    option("--references-only", is_flag=True, help="Vet the references alone: each is run against itself."),
)

report_options = _stacked(
    option("--format", "report_format", type=click.Choice(REPORT_KINDS), default="human", help="What goes to stdout."),
    option("--output", "-o", type=ReportTarget(), multiple=True, help="Write a report to a file, too; repeatable."),
    option("--show-diff", is_flag=True, help="Show rows where results differ. The report then holds fixture data."),
)

progress_and_log_options = _stacked(
    option("--progress", type=click.Choice(("auto", "plain", "none")), default="auto", help="Progress on stderr."),
    option("--log-format", type=click.Choice(("console", "json")), default="console", help="Form of the log lines."),
    option(
        "--log-level", type=click.Choice(("debug", "info", "warning", "error")), default="warning", help="Least level."
    ),
    option("--log-file", type=FileName(), default=None, help="Append the log to a file, not to stderr."),
)
