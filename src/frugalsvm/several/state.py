"""What the tactics for several targets share: the best panel, the bound, every target's state."""

from __future__ import annotations

from dataclasses import dataclass, replace

from frugalsvm.search.problem.hyperplane import Hyperplane
from frugalsvm.search.state import SearchState

Planes = tuple[Hyperplane, ...]


@dataclass(eq=False)
class PanelState(SearchState):
    """The state of the joint search; features are numbered alike in all targets' problems.

    It is the state of the first target with another meaning of "answer": `best` has the cost and
    the support of the whole panel, and `planes` are the hyperplanes that use it.

    Attributes
    ----------
    targets : tuple of SearchState
        One a target: its reduced problem, its oracles, its door.
    planes : tuple of Hyperplane
        Verified hyperplanes of the best panel, one a target.
    """

    targets: tuple[SearchState, ...] = ()
    planes: Planes = ()

    def offer_panel(self, planes: Planes) -> bool:
        """Offer a verified hyperplane for every target; True if they are a new best answer."""
        support = tuple(sorted({k for plane in planes for k in plane.support}))
        cost = self.core.cost(self.core.core_support(support))
        self.door.accept(support)
        with self.lock:
            if self.best is not None and cost > self.cutoff:
                return False
            self.best = replace(planes[0], support=support, cost=cost)
            self.planes = planes
            self._report()
            return True

    def panel(self) -> tuple[int, ...]:
        """Return the priced core features of the best panel; empty without one."""
        with self.lock:
            return () if self.best is None else self.priced(self.best.support)

    def priced(self, support: tuple[int, ...]) -> tuple[int, ...]:
        """Return the priced core features among original ones."""
        free = set(self.core.free.tolist())
        return tuple(k for k in self.core.core_support(support) if k not in free)

    def halt_kernels(self) -> None:
        """Ask the running kernels of all targets to come to an end."""
        super().halt_kernels()
        for target in self.targets:
            target.halt_kernels()
