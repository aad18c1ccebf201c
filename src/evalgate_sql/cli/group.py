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

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _VERBS:
            if not name.startswith("-"):
                # NOTE: click would repeat the word, and a stray word may be a connection string.
                context.fail(f"there is no such command; the commands are {', '.join(_VERBS)}")
            return None
        command: click.Command = importlib.import_module(f"evalgate_sql.cli.{name}").command
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_VERBS.items()))


@click.group(
    cls=_LazyGroup,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="evalgate-sql")
def cli() -> None:
    """Decide whether model-written SQL is right: run it and its reference on one read-only fixture and compare.

    Exit codes: 0 PASS, 1 SCORE_BELOW, 2 REGRESSION, 5 BAD_ARGS, 7 WEAK_EVIDENCE, 11 IO_ERROR, 99 INTERNAL_ERROR,
    130 CANCELLED.
    """


class Verb(click.Command):
    """A command that takes options only, and does not repeat a stray word: it may be SQL or a connection string."""

    allow_extra_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options, and refuse what is left over."""
        try:
            left = super().parse_args(ctx, args)
        except click.UsageError as error:
            # The parser does not always say whose options they were.
            error.ctx = error.ctx or ctx
            raise
        if left:
            ctx.fail(f"{self.name} takes options only, and {len(left)} of its arguments belong to none")
        return left
