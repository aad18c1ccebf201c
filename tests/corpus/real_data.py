"""Replays the handed real data and says where published verdicts and ours part, and why.

Run from the checkout, with the folder of the handed corpora and data:

    python -m tests.corpus.real_data ../shared
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evalgate_sql.model.verdict import Verdict
from tests.corpus.bare_sqlite import BareDatabase, BareResult, reads_clock
from tests.corpus.differences import Difference, Rule, differs, explain
from tests.corpus.evaluators import PUBLISHED
from tests.corpus.replay import Line, check, read_lines, verdicts

GROUPS = ("bird_sqlite", "defog_sqlite", "spider_sqlite", "sqllogictest_sqlite")


@dataclass(frozen=True, slots=True)
class DataSet:
    """The cases of one database, their verdicts, and what was published of them."""

    group: str
    database: Path
    cases: tuple[Line, ...]
    published: tuple[Line, ...]
    verdicts: dict[str, Verdict]
    fixture_unchanged: bool | None

    def differences(self) -> Iterator[Difference]:
        """Yield every case and evaluator that part."""
        for case, published in zip(self.cases, self.published, strict=True):
            assert case["id"] == published["id"]
            verdict = self.verdicts[case["id"]]
            for evaluator in PUBLISHED:
                if evaluator in published and differs(published[evaluator], verdict):
                    yield Difference(
                        group=self.group,
                        database=self.database.stem,
                        case_id=case["id"],
                        reference_sql=case["referenceSql"],
                        generated_sql=case["generatedSql"],
                        evaluator=evaluator,
                        published=published[evaluator],
                        verdict=verdict,
                    )


@dataclass(frozen=True, slots=True)
class Explained:
    """A difference and the rules that explain it, if any do."""

    difference: Difference
    rules: tuple[Rule, ...] | None


def replay(shared: Path) -> list[DataSet]:
    """Run every case file of the real data against its database."""
    return [_replay_file(shared, group, file) for group in GROUPS for file in _case_files(shared, group)]


def explain_differences(data_set: DataSet) -> list[Explained]:
    """Explain every difference of one data set."""
    with closing(BareDatabase(data_set.database)) as database:
        run = lru_cache(maxsize=None)(database.run)
        return [Explained(difference, explain(difference, run=run)) for difference in data_set.differences()]


def unsound_reference_errors(data_set: DataSet) -> dict[str, str]:
    """Return the cases that are reference errors although SQLite runs their reference well, with our reason.

    Well means: twice with equal rows in equal order, in time, within rows and bytes, and without the clock.
    """
    with closing(BareDatabase(data_set.database)) as database:
        runs_well = lru_cache(maxsize=None)(lambda sql: _runs_well(database, sql))
        return {
            case["id"]: str(verdict.reason)
            for case in data_set.cases
            if (verdict := data_set.verdicts[case["id"]]).outcome == "reference_error"
            and runs_well(case["referenceSql"])
        }


def _runs_well(database: BareDatabase, sql: str) -> bool:
    first: BareResult = database.run(sql)
    return (
        first.error is None and first.is_within_limits and not reads_clock(sql) and database.run(sql).rows == first.rows
    )


def _case_files(shared: Path, group: str) -> list[Path]:
    folder = shared / "data" / "cases" / group
    return sorted(file for file in folder.glob("*.jsonl") if not file.name.endswith(".expected.jsonl"))


def _replay_file(shared: Path, group: str, file: Path) -> DataSet:
    database = shared / "data" / "databases" / group.removesuffix("_sqlite") / f"{file.stem}.sqlite"
    report = check(file.resolve(), database.resolve())
    return DataSet(
        group=group,
        database=database,
        cases=tuple(read_lines(file)),
        published=tuple(read_lines(file.with_suffix(".expected.jsonl"))),
        verdicts=verdicts(report),
        fixture_unchanged=report.sets[0].facts.fixture_unchanged,
    )


def _tables(data_sets: list[DataSet]) -> Iterator[str]:
    """Yield the lines of the tables, in Markdown."""
    outcomes = Counter((s.group, v.outcome, v.reason or "") for s in data_sets for v in s.verdicts.values())
    yield "| group | outcome | reason | cases |\n| --- | --- | --- | --- |"
    for (group, outcome, reason), count in sorted(outcomes.items()):
        yield f"| {group} | {outcome} | {reason} | {count} |"
    explained = [found for data_set in data_sets for found in explain_differences(data_set)]
    kinds: dict[tuple[str, str, str, str], list[str]] = {}
    for found in explained:
        difference = found.difference
        rule = "; ".join(found.rules or ("NO RULE",))
        key = (difference.evaluator, json.dumps(difference.published), difference.verdict.outcome.value, rule)
        kinds.setdefault(key, []).append(difference.case_id)
    yield "\n| evaluator | published | ours | rule | cases | example |\n| --- | --- | --- | --- | --- | --- |"
    for key, ids in sorted(kinds.items()):
        yield f"| {' | '.join(key)} | {len(ids)} | `{min(ids)}` |"


if __name__ == "__main__":
    print("\n".join(_tables(replay(Path(sys.argv[1])))))  # noqa: T201 - the tables are what the program is for
