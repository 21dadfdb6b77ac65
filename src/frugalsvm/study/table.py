"""A table of the study as plain data, and the results that tables are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from frugalsvm.data.rates import RateTargets
from frugalsvm.study.datasets import Dataset
from frugalsvm.study.store import Store
from frugalsvm.study.summary import Rates, Spread, spread, summarize
from frugalsvm.study.tasks import Payload
from frugalsvm.study.thresholds import thresholds, uncorrected

METRICS = ("Acc", "TPR", "TNR")
Cell = str | int | float | Spread | None


@dataclass(frozen=True)
class Table:
    """A table with a title, ready to be written in any format.

    Attributes
    ----------
    name, title : str
        The file's name, and what the table shows.
    columns : tuple of str
        Heads of the columns.
    rows : tuple of tuple
        Cells; None where nothing was run, or the paper says nothing.
    notes : tuple of str
        What a reader has to know.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """Where tables come from: the results, the data, and which data sets are wanted."""

    store: Store
    data: Mapping[str, Dataset]

    def rates(self, kind: str, dataset: str, targets: str = "", method: str = "") -> Rates | None:
        """Return the rates over the folds that are there; None if there are none."""
        found = self.store.find(kind, dataset, targets, method)
        return summarize(found) if found else None

    def selections(self, dataset: str, targets: str) -> list[Payload]:
        """Return the selections of the outer training sets that are there."""
        return [payload["outer"] for payload in self.store.find("select", dataset, targets)]

    def features(self, dataset: str, targets: str) -> Spread | None:
        """Return the number of features selected."""
        chosen = [len(outer["support"]) for outer in self.selections(dataset, targets)]
        return spread([float(count) for count in chosen]) if chosen else None

    def used(self, kind: str, dataset: str, targets: str, method: str) -> Spread | None:
        """Return the number of features that a method used."""
        found = self.store.find(kind, dataset, targets, method)
        return spread([float(len(p["support"])) for p in found]) if found else None

    def thresholds(self, dataset: str, targets: str) -> RateTargets | None:
        """Return the thresholds of that name; None while the standard SVM was not run."""
        svm = self.store.find("svm", dataset)
        return thresholds(targets, dataset, svm, self.store.settings["alpha"]) if svm else None

    def for_new_data(
        self, dataset: str, targets: str, kernel: str
    ) -> tuple[Rates | None, Spread | None]:
        """Return rates and number of features of FrugalSVCCV, which asks for no correction."""
        asked = "unseen", dataset, uncorrected(targets), kernel
        return self.rates(*asked), self.used(*asked)

    def bounds(self, dataset: str, targets: str) -> Spread | None:
        """Return how many features are needed at least, proven fold by fold."""
        proven = [float(outer["bound"]) for outer in self.selections(dataset, targets)]
        return spread(proven) if proven else None


def metric_of(rates: Rates | None, metric: str) -> Spread | None:
    """Return one of the rates; None if there are none."""
    return None if rates is None else rates.by_name()[metric]
