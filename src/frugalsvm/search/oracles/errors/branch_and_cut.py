"""Which samples to give up, by branch and cut: the exact answer for one support.

A variable per sample says whether it is given up; every conflict is a cut that asks for one of
its samples. The linear program spreads what is given up as thinly as the cuts allow, relative
to the two budgets; new conflicts are looked for among the samples that it hardly gives up, and
where none is missing the heaviest doubtful sample is branched on. On few-valued features the
samples are merged into few heavy ones, and the programs are small.

A branch ends on a bound that is computed anew from the program's prices, which is valid for any
prices; a direction counts only if it meets the budgets. Rounding in the programs costs time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import highspy
import numpy as np

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.oracles.errors.search import ConflictOracle
from frugalsvm.search.oracles.errors.widest_gap import widest_for
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import Bools, CoreProblem, Floats, Ints
from frugalsvm.search.verdict import FEASIBLE, OPEN, RULED_OUT, Verdict

DOUBTS = (1e-6, 0.1, 0.2, 0.3, 0.4, 0.5)  # samples given up less than this are kept, in turn
ENOUGH = 60  # cuts of one round
VIOLATION = 1e-4
WHOLE = 1e-6
EXCESS = 1e-7  # of the budgets, in parts of them: far below one sample
ROUNDING = 1e-12  # of what is added up for a bound, far above what rounding makes of it
LEAST_SECONDS = 0.01  # of a run
MANY_CUTS = 600  # in the program; above, those without a price leave it

Limits = tuple[Floats, Floats]


@dataclass(eq=False)
class ErrorProgram:
    """The linear program: what is given up at least, in parts of the budgets.

    It minimises t over the shares z of the samples given up, subject to
    ``weight'z <= budget (1 + t)`` for each class and a sum of at least 1 over each cut. The
    cuts' members are kept one after the other, with the sizes of the cuts.
    """

    weight: Floats
    side: Ints
    budgets: Floats
    stop: Stopper
    members: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    sizes: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        n = len(self.weight)
        model = self.model = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
            model.setOptionValue(option, value)
        model.addVars(n, np.zeros(n), np.ones(n))
        model.addVar(-highspy.kHighsInf, highspy.kHighsInf)
        model.changeColCost(n, 1.0)
        self.scale = 1.0 / np.maximum(self.budgets, 1.0)
        self.load = self.weight * self.scale[self.side]
        for s in range(2):
            where = np.append(np.flatnonzero(self.side == s), n).astype(np.int32)
            what = np.append(self.load[self.side == s], -1.0)
            most = float(self.budgets[s] * self.scale[s])
            model.addRow(-highspy.kHighsInf, most, len(where), where, what)

    def add(self, cuts: list[Ints]) -> None:
        """Add cuts: sets of samples of which one has to be given up."""
        for cut in cuts:
            members = cut.astype(np.int32)
            self.model.addRow(1.0, highspy.kHighsInf, len(cut), members, np.ones(len(cut)))
        self.members = np.concatenate((self.members, *cuts))
        self.sizes = np.append(self.sizes, [len(cut) for cut in cuts]).astype(np.int64)

    def solve(self, limits: Limits) -> tuple[float, Floats] | None:
        """Return a proven bound on t within the limits, and the shares; None on failure."""
        n = len(self.weight)
        self.model.changeColsBounds(n, np.arange(n, dtype=np.int32), *limits)
        self._limit_time()
        self.model.run()
        if np.any(self._sums(limits[1]) < 1.0):
            return np.inf, limits[0]
        if self.model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self.model.getSolution()
        prices = np.abs(np.asarray(solution.row_dual))
        share = np.clip(np.asarray(solution.col_value)[:n], *limits)
        bound = self._proven(prices, limits)
        if len(self.sizes) > MANY_CUTS:
            self._forget(prices[2:] == 0.0)
        return bound, share

    def _limit_time(self) -> None:
        """Let the next run take what time is left: HiGHS counts all runs together."""
        if np.isfinite(self.stop.remaining):
            most = self.model.getRunTime() + max(LEAST_SECONDS, self.stop.remaining)
            self.model.setOptionValue("time_limit", float(most))

    def _proven(self, prices: Floats, limits: Limits) -> float:
        """Return the bound that the prices prove, whatever they are."""
        total = float(prices[0] + prices[1])
        if not (np.all(np.isfinite(prices)) and total > 0.5):
            return -np.inf
        of_budget, of_cut = prices[:2] / total, prices[2:]
        rest = of_budget[self.side] * self.load
        rest -= np.bincount(self.members, np.repeat(of_cut, self.sizes), len(rest))
        terms = np.minimum(rest * limits[0], rest * limits[1])
        bound = of_cut.sum() + terms.sum() - of_budget @ (self.budgets * self.scale)
        return float(bound - ROUNDING * (of_cut @ self.sizes + np.abs(terms).sum()))

    def _forget(self, idle: np.ndarray) -> None:
        """Take cuts without a price out of the program."""
        rows = np.flatnonzero(idle)
        if len(rows):
            self.model.deleteRows(len(rows), (rows + 2).astype(np.int32))
            self.members = self.members[np.repeat(~idle, self.sizes)]
            self.sizes = self.sizes[~idle]

    def _sums(self, values: Floats) -> Floats:
        """Return the sum of the values over each cut."""
        cut = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return np.bincount(cut, values[self.members], len(self.sizes)).astype(np.float64)


class ErrorCuts:
    """Branch and cut over the samples that a support (free features included) gives up."""

    def __init__(self, core: CoreProblem, support: Ints, stop: Stopper) -> None:
        self.n_features = core.n_features
        self.support = support
        self.stop = stop
        self.oracle = merged = ConflictOracle.of(core, stop).on(support)
        self.chosen = np.arange(merged.n_features)
        self.core = replace(
            core,
            columns=merged.points.columns,
            n_pos=merged.points.n_pos,
            weight=merged.weight,
        )
        budgets = np.array(merged.budgets, dtype=np.float64)
        self.program = ErrorProgram(merged.weight.astype(np.float64), merged.side, budgets, stop)
        self.program.add(coinciding(self.core))
        self.found: Floats | None = None
        allowed = self.program.weight <= budgets[merged.side]
        self._nodes: list[Limits] = [(np.zeros(len(allowed)), allowed.astype(np.float64))]

    def outlook(self) -> float:
        """Return by how much of the budgets the coinciding samples alone exceed them, at least."""
        solved = self.program.solve(self._nodes[0])
        return -np.inf if solved is None else solved[0]

    def judge(self, max_nodes: int) -> Verdict:
        """Judge the support, depth first; called again after it gave up, go on."""
        for _ in range(max_nodes):
            if not self._nodes:
                return RULED_OUT
            limits = self._nodes[-1]  # it stays open until it is settled
            share = self._tightened(limits)
            if self.found is not None:
                return self._feasible(self.found)
            if self.stop():  # in the middle of the node, perhaps
                return OPEN
            self._nodes.pop()
            if share is None:
                continue
            doubt = np.minimum(share, 1.0 - share)
            if np.max(doubt, initial=0.0) <= WHOLE:  # neither in conflict nor separated for sure
                if self._in_conflict(share < 0.5):
                    self._nodes.append(limits)
                    continue
                if self.found is not None:
                    return self._feasible(self.found)
                self._nodes.insert(0, limits)
                return OPEN
            sample = int(np.argmax(doubt * self.program.weight))
            self._nodes.extend(halves(limits, share, sample))
        return OPEN if self._nodes else RULED_OUT

    def _tightened(self, limits: Limits) -> Floats | None:
        """Add cuts until none is missing; return the shares, None if the node is infeasible.

        None also if it was time to stop before.
        """
        while not self.stop():
            solved = self.program.solve(limits)
            if solved is None:
                return np.where(limits[0] == limits[1], limits[0], 0.5)
            bound, share = solved
            if bound > EXCESS:
                return None
            cuts = self._missing(share, limits)
            if cuts is None or self.found is not None:
                return None
            if not cuts:
                return share
            self.program.add(cuts)
        return None

    def _missing(self, share: Floats, limits: Limits) -> list[Ints] | None:
        """Return cuts that the shares violate; None if a conflict has nothing to give up."""
        cuts: list[Ints] = []
        for doubt in DOUBTS:
            active = share < doubt
            members: Ints | None = None
            if not self.oracle.start(self.chosen, active):
                continue
            while not self.stop():
                members = self.oracle.conflict(self.chosen, active)
                if members is None or len(members) == 0:
                    break
                if share[members].sum() < 1.0 - VIOLATION:
                    cuts.append(members)
                given = members[limits[1][members] > 0.0]
                if len(given) == 0:
                    return None
                active[given] = False
            if members is not None and self._accept():
                return cuts
            if len(cuts) >= ENOUGH:
                break
        return cuts

    def _accept(self) -> bool:
        """Keep the direction that separated the samples if it meets the budgets."""
        return self._keep(self.oracle.direction(self.chosen))

    def _keep(self, direction: Floats) -> bool:
        if np.any(direction) and gap(self.core, direction) >= self.core.floor:
            self.found = direction
        return self.found is not None

    def _in_conflict(self, kept: Bools) -> bool:
        """Add a cut if a linear program proves a conflict; otherwise it may find a direction."""
        widest = widest_for(self.core, self.chosen, kept)
        if widest.direction is not None and self._keep(widest.direction):
            return False
        if widest.conflict is not None:
            self.program.add([widest.conflict])
        return widest.conflict is not None

    def _feasible(self, found: Floats) -> Verdict:
        """Return the verdict on the support, with a direction of all features."""
        direction = np.zeros(self.n_features)
        direction[self.support] = found
        return Verdict(FEASIBLE, direction)


def coinciding(core: CoreProblem) -> list[Ints]:
    """Return the pairs of a positive and a negative at the same point."""
    points = np.ascontiguousarray(core.columns.T)
    places = {point.tobytes(): i for i, point in enumerate(points[: core.n_pos])}
    found = [
        (places.get(point.tobytes(), -1), core.n_pos + j)
        for j, point in enumerate(points[core.n_pos :])
    ]
    return [np.array(pair, dtype=np.int64) for pair in found if pair[0] >= 0]


def halves(limits: Limits, share: Floats, sample: int) -> list[Limits]:
    """Return the two parts of a node, the likelier one last."""
    kept, given = limits[1].copy(), limits[0].copy()
    kept[sample], given[sample] = 0.0, 1.0
    parts = [(limits[0], kept), (given, limits[1])]
    return parts if share[sample] > 0.5 else parts[::-1]
