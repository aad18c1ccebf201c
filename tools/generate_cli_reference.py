"""Write the option tables of docs/cli.md from the command line itself.

Run it after a change to an option; `--check` writes nothing and fails when the page is out of date. Only what stands
between the markers of a command is replaced: the prose around it is written by hand.
"""

import argparse
import re
import sys
from pathlib import Path

import click

from evalgate_sql.cli.group import cli

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"

_REGION = re.compile(r"(<!-- options of (\S+), by tools/generate_cli_reference.py -->\n).*?(<!-- end -->)", re.DOTALL)
_HEADER = ("| option | variable | meaning |", "| --- | --- | --- |")


def commands() -> dict[str, click.Command]:
    """Return every command by its name."""
    context = click.Context(cli, info_name="evalgate-sql")
    found = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def table(name: str, command: click.Command) -> str:
    """Return the options of one command as a table."""
    context = click.Context(command, info_name=name)
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    rows = [_row(option, context) for option in options if "--help" not in option.opts]
    return "".join(f"{line}\n" for line in (*_HEADER, *rows)) if rows else "No options but `--help`.\n"


def _row(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    assert record is not None, option.name  # noqa: S101 - no option is hidden
    declaration, meaning = record
    variable = f"`{option.envvar}`" if option.envvar else ""
    return f"| `{_cell(declaration)}` | {variable} | {_cell(meaning)} |"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", r"\|")


def rewritten(page: str) -> str:
    """Return the page with the options of every command that it has a region for."""
    known = commands()

    def region(match: re.Match[str]) -> str:
        begin, name, end = match.groups()
        return f"{begin}\n{table(name, known[name])}\n{end}"

    return _REGION.sub(region, page)


def missing_commands(page: str) -> list[str]:
    """Return the commands that the page has no region for."""
    shown = {match[2] for match in _REGION.finditer(page)}
    return [name for name in commands() if name not in shown]


def main(arguments: list[str]) -> int:
    """Return 0 when the page is right or was written, 1 when it is not."""
    parser = argparse.ArgumentParser(description="Write or check the option tables of docs/cli.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is not right")
    options = parser.parse_args(arguments)
    page = PAGE.read_text(encoding="utf-8")
    missing = missing_commands(page)
    for name in missing:
        print(f"docs/cli.md has no region for the command {name}", file=sys.stderr)
    if options.check:
        if page != rewritten(page):
            print("docs/cli.md is not right: run tools/generate_cli_reference.py", file=sys.stderr)
        return int(bool(missing) or page != rewritten(page))
    PAGE.write_text(rewritten(page), encoding="utf-8")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
