"""The methods that the paper stands beside, as estimators with this library's conventions.

======================= =========================== ======================== ===================
estimator               minimises                   fixes                    promises
======================= =========================== ======================== ===================
`HoldOutSVC` (HOSVM,    errors on held-out samples, nothing, or the greatest nothing
2009)                   greedily; any kernel        number of features

`KernelPenalizedSVC`    SVM objective and penalty   weight of the penalty,   a local optimum
(KP-SVM, 2011)          on the widths of a Gaussian or the greatest number
                        kernel                      of features

`BudgetSVC` (MILP,      hinge loss                  what the features may    least loss, or a
2017)                                               cost; groups bought      proven gap
                                                    together

`SparseSVC` "chan"      relaxation of an SVM with   greatest number of       the relaxation's
(2007)                  few features                features                 optimum

`SparseSVC` "ghaddar"   SVM under a bound on the l1 greatest number of       the optimum at the
(2018)                  norm                        features                 bound

`FrugalSVC` (the paper, cost of the features, then  two rates                both rates in
2019)                   ||f||^2 + C sum xi                                   training; least
                                                                             cost, or a bound
======================= =========================== ======================== ===================

Only `BudgetSVC` and `FrugalSVC` use prices; the others report what their features cost. Where a
paper's definition had to be completed is in the notes of each class and in ``docs/peers.md``.
"""

from __future__ import annotations

from frugalsvm.peers.budget import BudgetSVC
from frugalsvm.peers.holdout import HoldOutSVC
from frugalsvm.peers.kernel_penalized import KernelPenalizedSVC
from frugalsvm.sparse import SparseSVC

__all__ = ["BudgetSVC", "HoldOutSVC", "KernelPenalizedSVC", "SparseSVC"]
