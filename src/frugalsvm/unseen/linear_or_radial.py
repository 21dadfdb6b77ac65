"""Linear machines first, and radial Support Vector Machines for panels on which those fall short.

A linear rule can be printed and computed by hand, so it is taken wherever it will do. A curved one
often gets by with cheaper panels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from frugalsvm.data.losses import HINGE
from frugalsvm.inputs.svm_kernels import AUTO
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.folds import Split
from frugalsvm.unseen.scoring import Floats, Machine, Machines, Mask, Setting

MOST_SAMPLES = 2_000
"""Samples up to which radial machines are tried: their time grows with the square of them, to
some hundredths of a second each, and a choice takes hundreds."""


@dataclass(frozen=True)
class LinearOrRadial:
    """Both kinds.

    Attributes
    ----------
    linear, radial : Machines
        Of the same values of C.
    """

    linear: Machines
    radial: Machines

    @property
    def settings(self) -> Sequence[Setting]:
        """The linear ones first."""
        return [*self.linear.settings, *self.radial.settings]

    @property
    def parts(self) -> Sequence[Machine]:
        """The linear machines, then the radial ones."""
        return self.linear, self.radial

    @property
    def enough_samples(self) -> float:
        """Those of the radial machines."""
        return self.radial.enough_samples

    def middle(self) -> LinearOrRadial:
        """Return both with few settings, for a first look."""
        return LinearOrRadial(self.linear.middle(), self.radial.middle())

    def only(self, setting: Setting) -> Machine:
        """Return the machine with this setting alone."""
        of_linear = setting.kernel == self.linear.kernel
        return (self.linear if of_linear else self.radial).only(setting)

    def scores(
        self, X: Floats, positive: Mask, splits: Sequence[Split], stop: Stopper
    ) -> Floats | None:
        """Return the decision values of both, one row for each setting; None if it has to stop."""
        rows = [part.scores(X, positive, splits, stop) for part in self.parts]
        known = [row for row in rows if row is not None]
        return np.concatenate(known) if len(known) == len(rows) else None


def machine_for(machines: Machines, n_samples: int) -> Machine:
    """Return the machine that the kernel of these means, for so many samples."""
    if machines.kernel != AUTO:
        return machines
    linear = replace(machines, kernel="linear")
    if n_samples > MOST_SAMPLES:
        return linear
    return LinearOrRadial(linear, replace(machines, kernel="rbf", losses=(HINGE,)))
