"""Maximum matching of rows by bit sets. Knows points and the tolerance, no cells, no keys and no verdict.

Rows of both sides are the two parts of a bipartite graph whose edges are the acceptable pairs. A row's neighbours are
one integer, bit `n` for row `n` of the other side: ten thousand rows that all accept each other are 12 MB of bits,
where lists of edges would not fit into the worker. The matching is Hopcroft and Karp's: each phase finds the length of
the shortest augmenting paths, then takes as many disjoint paths of that length as it can.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evalgate_sql.compare.neighbours import Neighbours

UNPAIRED: Final = -1
"""The partner of a row that has none."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """The rows that a maximum matching leaves unpaired, by position."""

    left: Sequence[int] = ()
    right: Sequence[int] = ()
    isolated: bool = False
    """True when one of them accepts no row of the other side at all."""


class Matching:
    """A matching under way. It starts from acceptable pairs, which may all be undone, and grows to a maximum one."""

    __slots__ = ("_free_right", "_left_partners", "_neighbours", "_right_partners")

    def __init__(self, neighbours: Neighbours, left_partners: Sequence[int]) -> None:
        self._neighbours = neighbours
        self._left_partners = list(left_partners)
        self._right_partners = [UNPAIRED] * neighbours.right_count
        self._free_right = (1 << neighbours.right_count) - 1
        for left, right in enumerate(left_partners):
            if right != UNPAIRED:
                self._right_partners[right] = left
                self._free_right ^= 1 << right

    def grow(self) -> Leftover:
        """Augment until no path is left, then tell what stays unpaired."""
        while self._free_right and (layers := self._layers()):
            for left in self._free_left():
                self._augment(left, layers)
        free_left = list(self._free_left())
        return Leftover(free_left, list(_bits(self._free_right)), isolated=self._holds_isolated(free_left))

    def _free_left(self) -> Iterator[int]:
        return (left for left, right in enumerate(self._left_partners) if right == UNPAIRED)

    def _layers(self) -> list[int]:
        """Return the right rows at each distance from the free left ones, as far as the first free right rows."""
        unseen = (1 << self._neighbours.right_count) - 1
        frontier = list(self._free_left())
        layers: list[int] = []
        while layer := self._reach(frontier, unseen):
            if layer & self._free_right:
                return [*layers, layer & self._free_right]
            layers.append(layer)
            unseen ^= layer
            frontier = [self._right_partners[right] for right in _bits(layer)]
        return []

    def _reach(self, frontier: Sequence[int], unseen: int) -> int:
        reached = 0
        for left in frontier:
            reached |= self._neighbours.of(left) & unseen
            if reached == unseen:
                break
        return reached

    def _augment(self, root: int, layers: list[int]) -> None:
        """Follow the layers from a free left row to a free right one and swap the pairs along the path.

        Every right row is taken out of its layer when it is tried: it is on a path now, or leads nowhere. No recursion,
        for a path can be as long as the result.
        """
        lefts, rights = [root], list[int]()
        while lefts:
            depth = len(rights)
            candidates = self._neighbours.of(lefts[-1]) & layers[depth]
            if not candidates:
                lefts.pop()
                del rights[-1:]
                continue
            lowest = candidates & -candidates
            layers[depth] ^= lowest
            rights.append(lowest.bit_length() - 1)
            if depth == len(layers) - 1:
                self._free_right ^= lowest
                self._pair(lefts, rights)
                return
            lefts.append(self._right_partners[rights[-1]])

    def _pair(self, lefts: Sequence[int], rights: Sequence[int]) -> None:
        for left, right in zip(lefts, rights, strict=True):
            self._left_partners[left] = right
            self._right_partners[right] = left

    def _holds_isolated(self, free_left: Sequence[int]) -> bool:
        if any(not self._neighbours.of(left) for left in free_left):
            return True
        lonely = self._free_right
        for left in range(len(self._left_partners)):
            if not lonely:
                return False
            lonely &= ~self._neighbours.of(left)
        return bool(lonely)


def _bits(mask: int) -> Iterator[int]:
    digits = bin(mask)[:1:-1]
    position = digits.find("1")
    while position >= 0:
        yield position
        position = digits.find("1", position + 1)
