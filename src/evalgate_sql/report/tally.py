"""Counts over verdicts. Knows nothing of thresholds, exit codes and formats."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from evalgate_sql.model.case import Case
from evalgate_sql.model.outcome import Outcome, Reason, WarningCode
from evalgate_sql.model.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Score:
    """Numerator and denominator of an accuracy, and the cases they were taken from."""

    case_count: int
    scored_count: int
    match_count: int

    @classmethod
    def of(cls, outcomes: Mapping[Outcome, int]) -> "Score":
        """Count every finished case but the reference errors as scored: those are evidence of nothing."""
        case_count = sum(outcomes.values())
        return cls(case_count, case_count - outcomes.get(Outcome.REFERENCE_ERROR, 0), outcomes.get(Outcome.MATCH, 0))

    def accuracy(self) -> float | None:
        """Return matches over scored cases, or None when nothing was scored."""
        return self.match_count / self.scored_count if self.scored_count else None


@dataclass(frozen=True, slots=True)
class Tally:
    """What the finished cases of one set came to."""

    causes: Mapping[tuple[Outcome, Reason | None], int]
    """Cases by outcome and reason; a match has no reason."""
    warnings: Mapping[WarningCode, int]
    """Cases by warning."""
    tags: Mapping[str, Score]

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """Return the cases of all nine outcomes, zeros too."""
        counts = dict.fromkeys(Outcome, 0)
        for (outcome, _), count in self.causes.items():
            counts[outcome] += count
        return counts

    @property
    def reasons(self) -> dict[Reason, int]:
        """Return the cases of every reason that occurred, by name."""
        counts: Counter[Reason] = Counter()
        for (_, reason), count in self.causes.items():
            if reason is not None:
                counts[reason] += count
        return dict(sorted(counts.items()))

    @property
    def total(self) -> Score:
        """Return the score of all finished cases."""
        return Score.of(self.outcomes)

    @property
    def empty_match_count(self) -> int:
        """Return how many matches had no row on either side."""
        return self.warnings.get(WarningCode.EMPTY_MATCH, 0)


class TallyCounter:
    """Counts verdicts one by one, so that nobody has to keep them for it."""

    def __init__(self) -> None:
        self._causes: Counter[tuple[Outcome, Reason | None]] = Counter()
        self._warnings: Counter[WarningCode] = Counter()
        self._tags: defaultdict[str, Counter[Outcome]] = defaultdict(Counter)

    def add(self, case: Case, verdict: Verdict) -> None:
        """Count one finished case. A tag or warning given twice counts once."""
        self._causes[verdict.outcome, verdict.reason] += 1
        self._warnings.update(set(verdict.warnings))
        for tag in set(case.tags):
            self._tags[tag][verdict.outcome] += 1

    def tally(self) -> Tally:
        """Return the counts so far, tags and warnings by name."""
        return Tally(
            causes=dict(self._causes),
            warnings=dict(sorted(self._warnings.items())),
            tags={tag: Score.of(outcomes) for tag, outcomes in sorted(self._tags.items())},
        )
