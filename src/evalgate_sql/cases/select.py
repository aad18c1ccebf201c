"""Which cases of a validated file are to run."""

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from evalgate_sql.errors import UserError
from evalgate_sql.model.case import Case


@dataclass(frozen=True, slots=True)
class Selection:
    """The ids to run; all of them when `ids` is None."""

    ids: frozenset[str] | None
    case_count: int

    def of(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Yield the selected ones of `cases`, in their order."""
        return (case for case in cases if self.ids is None or case.id in self.ids)


def select_cases(wanted: tuple[str, ...], *, case_count: int, cases: Callable[[], Iterable[Case]]) -> Selection:
    """Return the selection that `wanted` ids make of a file of `case_count` cases; every case when it is empty.

    Raises `UserError` for an id that the file does not have.
    """
    if not wanted:
        return Selection(None, case_count)
    known = {case.id for case in cases()}
    for case_id in wanted:
        if case_id not in known:
            near = difflib.get_close_matches(case_id, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise UserError("case_unknown", f"--case: there is no case {case_id!r} in the case file{hint}")
    ids = frozenset(wanted)
    return Selection(ids, len(ids))
