"""The bugs: for every place that can rule a support out or raise a bound, one that does too much.

Each is a substitution of text in a file of the package. A text that is not found exactly once is
an error: whoever changes the library adapts this list.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A bug.

    Attributes
    ----------
    oracle
        Whose word becomes wrong.
    file
        Below the package.
    old, new
        The substitution.
    jobs
        What is run on it, in this order: families of instances, or files of tests. Where two doors
        guard one proof, a hole in the second shows to whom stands between them only.
    """

    oracle: str
    file: str
    old: str
    new: str
    jobs: tuple[str, ...] = ("judges", "selection", "metamorphic")


TRAINING = ("training",)
RAYS = ("training", "tests/margin/proof/test_infeasibility.py")
BRANCHES = ("training", "tests/margin/proof/test_branch_and_bound.py")
MERGED = ("selection", "tests/search/tactics/test_merged_supports.py")
FRONTIER = ("frontier",)
WIDEST = ("tests/search/oracles/errors/test_widest_gap.py", "tests/search/test_driver.py")
SPLIT = ("tests/search/oracles/test_split_directions.py",)
ELSEWHERE = ("tests/search/tactics/test_batches_elsewhere.py",)
SPARSE_TABLES = ("selection", "tests/estimators/test_sparse_tables.py")

MUTANTS = (
    Mutant(
        "coinciding samples: the knapsack",
        "search/oracles/coincidence.py",
        "return lost - saved > budget_neg + 1e-9",
        "return lost - saved > budget_neg - 1 + 1e-9",
    ),
    Mutant(
        "thresholds on one continuous feature",
        "search/oracles/coincidence.py",
        "if negatives + total - multiplier * budget_pos > budget_neg + 1e-9:",
        "if negatives + total - multiplier * budget_pos > budget_neg - 1 + 1e-9:",
    ),
    Mutant(
        "sieve: the choice of losses",
        "search/oracles/sieve.py",
        "            if fewest[most] > budgets[0]:",
        "            if fewest[most] >= budgets[0]:",
    ),
    Mutant(
        "sieve: the sum of losses",
        "search/oracles/sieve.py",
        "passes[r] = lost <= budgets[0] + budgets[1] and not",
        "passes[r] = lost < budgets[0] + budgets[1] and not",
    ),
    Mutant(
        "boxes of directions with thresholds: the spread",
        "search/oracles/thresholds/boxes.py",
        "spread += radius[k] * abs(offset)",
        "spread += 0.5 * radius[k] * abs(offset)",
    ),
    Mutant(
        "freed features: one of three is in no cell and in no box",
        "search/oracles/batch_kernels.py",
        "points = _gather(arrays.columns, continuous[:several], firsts,",
        "points = _gather(arrays.columns, continuous[: max(2, several - 1)], firsts,",
    ),
    Mutant(
        "tables of thresholds: the excess",
        "search/oracles/thresholds/tables.py",
        "excess = total - afforded - ROUNDING * afforded",
        "excess = total - afforded + 1.0",
    ),
    Mutant(
        "conflicts: which sets are in conflict",
        "search/oracles/conflicts/min_norm_point.py",
        "positive and negative and excess < CONFLICT_MARGIN)",
        "positive and negative and excess < 3.0 * CONFLICT_MARGIN)",
    ),
    Mutant(
        "conflicts: the packing",
        "search/oracles/conflicts/branching.py",
        "if total > left[0] + left[1] or",
        "if total >= left[0] + left[1] or",
    ),
    Mutant(
        "conflicts: a branch is forgotten",
        "search/oracles/conflicts/branching.py",
        "        places[at] += 1\n        if places[at] < branches.sizes[at]:",
        "        places[at] += 1\n        if places[at] < branches.sizes[at] - 1:",
    ),
    Mutant(
        "directions: the spread of a box",
        "search/oracles/directions.py",
        "reach = radius[k] * abs(offset)",
        "reach = 0.5 * radius[k] * abs(offset)",
    ),
    Mutant(
        "directions: samples that no longer matter",
        "search/oracles/directions.py",
        "elif -middle[a] + shift[a] >= lowest[0]:",
        "elif -middle[a] + 0.3 * shift[a] >= lowest[0]:",
    ),
    Mutant(
        "directions: the floor",
        "search/oracles/directions.py",
        "if highest[0] - highest[1] < on.floor:",
        "if highest[0] - highest[1] < 1.001 * on.floor:",
    ),
    Mutant(
        "search over errors: the packing",
        "search/oracles/errors/search.py",
        "if len(members) == 0 or fewest[-1] > budgets.left[0]:",
        "if len(members) == 0 or fewest[-1] >= budgets.left[0]:",
    ),
    Mutant(
        "search over errors: a branch is forgotten",
        "search/oracles/errors/search.py",
        "            branch.cursor += 1\n",
        "            branch.cursor += 2\n",
    ),
    Mutant(
        "conflicts of the simplex method",
        "search/oracles/errors/separation.py",
        "return count if distance < points.floor - CERTAINTY * reach else -1",
        "return count if distance < 1e3 + points.floor - CERTAINTY * reach else -1",
    ),
    Mutant(
        "branch and cut: the bound",
        "search/oracles/errors/branch_and_cut.py",
        "            if bound > EXCESS:",
        "            if bound > EXCESS - 0.5:",
    ),
    Mutant(
        "branch and cut: a branch is forgotten",
        "search/oracles/errors/branch_and_cut.py",
        "self._nodes.extend(halves(limits, share, sample))",
        "self._nodes.extend(halves(limits, share, sample)[1:])",
    ),
    Mutant(
        "branch and cut: conflicts of a linear program",
        "search/oracles/errors/widest_gap.py",
        "return together if distance < core.floor - CERTAINTY * reach else None",
        "return together if distance < 3.0 * core.floor - CERTAINTY * reach else None",
        WIDEST,
    ),
    Mutant(
        "parts of a hard support: boxes that are left",
        "search/oracles/split_directions.py",
        "                left.append(part.left)\n",
        "                left.append(Boxes(*(boxes[1:] for boxes in part.left)))\n",
        SPLIT,
    ),
    Mutant(
        "batches elsewhere: those that nobody has judged",
        "search/tactics/batches_elsewhere.py",
        "                yield from (undecided(*batch) for batch in batches)\n",
        "",
        ELSEWHERE,
    ),
    Mutant(
        "sparse tables: what any panel costs",
        "engine/many_columns.py",
        "any_panel = min(any_panel, float(np.interp(need, reached, paid)))",
        "any_panel = min(any_panel, float(np.interp(need + 1, reached, paid)))",
        SPARSE_TABLES,
    ),
    Mutant(
        "unions: a way to split is forgotten",
        "search/walks/unions.py",
        "for used in ((a,), (b,), (a, b)):",
        "for used in ((a,), (b,)):",
    ),
    Mutant(
        "unions: what counts as ruled out",
        "search/walks/unions.py",
        "            if verdict == INFEASIBLE:",
        "            if verdict <= 0:",
    ),
    Mutant(
        "maximal supports: the walk",
        "search/walks/maximal_supports.py",
        "if marginal > limit - spent[depth] - left[cursor]:",
        "if marginal > 1.0 + limit - spent[depth] - left[cursor]:",
    ),
    Mutant(
        "maximal supports: copies",
        "search/problem/reduction.py",
        "key=lambda k: (costs.feature[k], len(",
        "key=lambda k: (-costs.feature[k], len(",
    ),
    Mutant(
        "undecided supports taken for proven",
        "search/tactics/undecided.py",
        "        if not verdict.infeasible:\n            return Outcome.OPEN",
        "        if verdict.feasible:\n            return Outcome.OPEN",
    ),
    Mutant(
        "scan: the cheapest pair",
        "search/tactics/scan.py",
        "return max(sum(sorted(core.costs.feature)[:2]), dearer)",
        "return sum(sorted(core.costs.feature)[:2]) + dearer",
    ),
    Mutant(
        "covers: coinciding samples",
        "search/oracles/coinciding_sets.py",
        "            if fewest[budget_neg] > budget_pos:",
        "            if fewest[budget_neg] >= budget_pos:",
    ),
    Mutant(
        "scan: single features",
        "search/tactics/scan.py",
        "good = np.flatnonzero(np.maximum(up, down) >= core.floor)",
        "good = np.flatnonzero(np.maximum(up, down) >= 2.0 * core.floor)",
    ),
    Mutant(
        "covers: growth by conflicts",
        "search/tactics/cover/cuts.py",
        "if self.oracle.judge(larger, GROWTH_NODES).infeasible:",
        "if not self.oracle.judge(larger, GROWTH_NODES).feasible:",
    ),
    Mutant(
        "covers: growth where no errors are allowed",
        "search/tactics/cover/cuts.py",
        "            if self._conflict(chosen, d + 1):",
        "            if self._conflict(chosen, d + 1) or d > 1:",
    ),
    Mutant(
        "covers: the packing's bound",
        "search/tactics/cover/packing.py",
        "return Packing(float(gain @ weights), np.clip",
        "return Packing(1.5 * float(gain @ weights), np.clip",
    ),
    Mutant(
        "covers: rounding a bound up",
        "search/tactics/cover/search.py",
        "return float(max(0, math.ceil(bound * (1.0 - ROUNDING) - WHOLE)))",
        "return float(max(0, math.ceil(bound + 0.5)))",
    ),
    Mutant(
        "covers: features that are too dear",
        "search/tactics/cover/node.py",
        "too_dear[left] = bound + rise > limit + 1e-6 * max(1.0, abs(limit))",
        "too_dear[left] = bound + 2.0 * rise > limit + 1e-6 * max(1.0, abs(limit))",
    ),
    Mutant(
        "merged supports",
        "search/tactics/merged_supports.py",
        "                if not verdict.infeasible:\n                    left.append(judge)",
        "                if verdict.feasible:\n                    left.append(judge)",
        MERGED,
    ),
    Mutant(
        "reduction: weights of merged samples",
        "search/problem/reduction.py",
        "    return samples[by_row], weight[by_row], n_pos",
        "    return samples[by_row], 2 * weight[by_row] - 1, n_pos",
    ),
    Mutant(
        "last resort: all features at once",
        "search/tactics/last_resort.py",
        "            elif verdict.infeasible:\n                state.prove_infeasible()",
        "            else:\n                state.prove_infeasible()",
    ),
    Mutant(
        "knowledge: proofs of other targets",
        "search/knowledge.py",
        "problem.budget.pos <= old.budget.pos",
        "problem.budget.pos <= old.budget.pos + 1",
        FRONTIER,
    ),
    Mutant(
        "training: what counts as a ray",
        "margin/proof/infeasibility.py",
        "and bool((np.abs(sums) <= UNITS * sizes).all())",
        "and bool((np.abs(sums) <= 1e-3 * sizes).all())",
        RAYS,
    ),
    Mutant(
        "training: the gain of a ray",
        "margin/tuning.py",
        "LEAST_GAIN = 1e-5",
        "LEAST_GAIN = -1e-5",
        RAYS,
    ),
    Mutant(
        "training: what a conflict consists of",
        "margin/conflicts.py",
        "needed = ray[i] != 0.0 if code == UNBOUNDED else abs(a[i]) > box[i] * OUTSIDE_ITS_BOX",
        "needed = ray[i] != 0.0 if code == UNBOUNDED else abs(a[i]) > box[i] * 2.0",
        BRANCHES,
    ),
    Mutant(
        "training: the packing of conflicts",
        "margin/proof/packing.py",
        "        if left[s] < 0.0:",
        "        if left[s] <= 0.0:",
        TRAINING,
    ),
    Mutant(
        "training: rows that nothing can afford",
        "margin/proof/packing.py",
        "if decided[i] == UNDECIDED and residual[s, i] > left[s]:",
        "if decided[i] == UNDECIDED and residual[s, i] >= left[s]:",
        TRAINING,
    ),
    Mutant(
        "training: a branch is forgotten",
        "margin/proof/branching.py",
        "        rows[i] = False\n        if conflict < 0:",
        "        rows[i] = False\n        if conflict >= 0:\n            break\n"
        "        if conflict < 0:",
        BRANCHES,
    ),
    Mutant(
        "training: the dual value",
        "margin/solver/value.py",
        "part, side = changes[p], t[rows[p]] + e[rows[p]]",
        "part, side = changes[p], 1.01 * t[rows[p]] + e[rows[p]]",
        TRAINING,
    ),
)
