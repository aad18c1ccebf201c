"""The command group: which verbs there are, each imported when it is used."""

import importlib

import click

from evalgate_sql import __version__

_VERBS = {
    "check": "Check one case file against one database.",
    "demo": "Run the shipped example and explain its report.",
}
"""Verb to one line of help. The module of the same name has the command; a test holds the two together."""


class _LazyGroup(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in _VERBS:
            return None
        command: click.Command = importlib.import_module(f"evalgate_sql.cli.{name}").command
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_VERBS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="evalgate-sql")
def cli() -> None:
    """Decide whether model-written SQL is right: run it and its reference on one read-only fixture and compare.

    Exit codes: 0 PASS, 1 SCORE_BELOW, 2 REGRESSION, 5 BAD_ARGS, 7 WEAK_EVIDENCE, 11 IO_ERROR, 99 INTERNAL_ERROR,
    130 CANCELLED.
    """
