"""Real questions, references and model outputs: no sound reference is an error, no difference is without a rule.

Everything is run once, in about a minute. The tables come from `python -m tests.corpus.real_data`.
"""

from pathlib import Path

import pytest

from tests.corpus.evaluators import PUBLISHED
from tests.corpus.real_data import GROUPS, DataSet, Explained, explain_differences, replay, unsound_reference_errors

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(900)]

CASE_COUNTS = {"bird_sqlite": 896, "defog_sqlite": 240, "spider_sqlite": 4734, "sqllogictest_sqlite": 6041}


@pytest.fixture(scope="session")
def data_sets(shared: Path) -> list[DataSet]:
    """Run all real data once."""
    return replay(shared)


@pytest.fixture(scope="session")
def explained(data_sets: list[DataSet]) -> list[Explained]:
    """Explain every difference between a published verdict and ours."""
    return [found for data_set in data_sets for found in explain_differences(data_set)]


@pytest.mark.parametrize("group", GROUPS)
def test_every_case_has_a_verdict(group: str, data_sets: list[DataSet]) -> None:
    """No case is lost on the way."""
    assert sum(len(one.verdicts) for one in data_sets if one.group == group) == CASE_COUNTS[group]


@pytest.mark.parametrize("group", GROUPS)
def test_no_database_changes(group: str, data_sets: list[DataSet]) -> None:
    """The reports say so of each."""
    assert {one.fixture_unchanged for one in data_sets if one.group == group} == {True}


@pytest.mark.parametrize("group", GROUPS)
def test_no_sound_reference_is_an_error(group: str, data_sets: list[DataSet]) -> None:
    """What SQLite runs alike twice, within the limits and without the clock, runs here too."""
    assert {one.database.stem: unsound_reference_errors(one) for one in data_sets if one.group == group} == {
        one.database.stem: {} for one in data_sets if one.group == group
    }


@pytest.mark.parametrize("evaluator", PUBLISHED)
def test_every_difference_from_a_published_verdict_has_a_rule(evaluator: str, explained: list[Explained]) -> None:
    """The rule is shown at the bare driver; the few words on each in the tables are not proof."""
    of_evaluator = [found for found in explained if found.difference.evaluator == evaluator]

    assert [found.difference for found in of_evaluator if found.rules is None] == []
