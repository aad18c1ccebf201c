"""The entry point, and the one place in the program where an error becomes an exit code.

Imports as little as it can: `--help` must answer at once.
"""

import os
import sys
import traceback
from collections.abc import Sequence

import click

from evalgate_sql.cli.group import cli
from evalgate_sql.cli.signals import stop_on_signals
from evalgate_sql.cli.streams import hold_closed_descriptors, say, silence
from evalgate_sql.errors import Cancelled, EvalGateError, InternalError, NextAction, UnavailableError, UserError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.supervisor.stop import StopRequest


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    hold_closed_descriptors()
    stop = stop_on_signals()
    try:
        code = run(sys.argv[1:] if arguments is None else list(arguments), stop=stop)
    except Cancelled as second:
        # The signal came while another error was being told.
        code = int(second.exit_code)
    sys.exit(code)


def run(arguments: list[str], *, stop: StopRequest | None = None) -> int:
    """Run one command and return its exit code; `stop` ends the run early.

    Raises nothing but what a signal handler raises while an error is told.
    """
    try:
        return _invoke(arguments, stop or StopRequest())
    except click.ClickException as error:
        return _report_error(_usage_error(error), arguments)
    except EvalGateError as error:
        return _report_error(error, arguments)
    except OSError as error:
        silence(sys.stdout)
        return _report_error(_io_error(error), arguments)
    except (click.Abort, KeyboardInterrupt):
        return int(ExitCode.CANCELLED)
    except Exception as error:  # noqa: BLE001 - a bug of ours must end as 99, never as 0 or 1
        return _report_error(_bug(error), arguments)


def _invoke(arguments: list[str], stop: StopRequest) -> int:
    # NOTE: not `cli.main`, which takes a broken pipe anywhere for the end of the program and exits with 1, and 1 is
    # SCORE_BELOW.
    try:
        with cli.make_context("evalgate-sql", arguments, obj=stop) as context:
            code: ExitCode | None = cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return int(code or ExitCode.PASS)


def _report_error(error: EvalGateError, arguments: list[str]) -> int:
    """Say what went wrong, as JSON on stdout where that was asked for, and return the code."""
    from evalgate_sql.cli.output import show_error  # noqa: PLC0415 - not for --help

    return show_error(error, as_json=_wants_json(arguments))


def _usage_error(error: click.ClickException) -> UserError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "evalgate-sql"
    return UserError(
        "usage", error.format_message(), next_actions=(NextAction(f"{command} --help", "list the options"),)
    )


def _io_error(error: OSError) -> UnavailableError:
    # The system's own words for the number, and not what somebody put into the exception.
    return UnavailableError("io_error", f"a file or stream failed: {os.strerror(error.errno or 0)}")


def _bug(error: Exception) -> InternalError:
    """Return the error for a bug, and show where it is: the code lines only, since a message may hold anything."""
    frames = traceback.format_list(traceback.extract_tb(error.__traceback__))
    say("".join([*frames, f"{type(error).__name__}\n"]))
    return InternalError(
        "internal_error", f"a bug in evalgate-sql ({type(error).__name__}); please report the lines above"
    )


def _wants_json(arguments: list[str]) -> bool:
    """Tell whether `--format json` was asked for, also where the arguments themselves are wrong."""
    asked = os.environ.get("EVALGATE_SQL_FORMAT", "")
    for index, argument in enumerate(arguments):
        if argument == "--format":
            asked = "".join(arguments[index + 1 : index + 2])
        elif argument.startswith("--format="):
            asked = argument.removeprefix("--format=")
    return asked == "json"
