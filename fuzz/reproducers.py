"""A file for every failure: a script that shows it without the fuzzer."""

from __future__ import annotations

import re
from pathlib import Path

from fuzz.instances import Failure, Instance, SelectionInstance, TrainingInstance, to_json
from fuzz.subject import SPARSE

SELECTION = '''"""{kind}

{detail}

Made by: python -m fuzz {name} --seed {seed}
"""

import numpy as np

from frugalsvm import FrugalSelector
from fuzz.subject import in_parts, under  # for a setting that is not the usual one

X = {made}({X!r})
y = np.array({y!r})
with under({setting!r}):
    s = FrugalSelector(**{parameters!r}).fit(X, y, sample_weight={weights!r})
print(s.status_, repr(s.cost_), repr(s.bound_), s.get_support(indices=True).tolist())
'''

TRAINING = '''"""{kind}

{detail}

Made by: python -m fuzz {name} --seed {seed}
"""

import numpy as np

from frugalsvm import RateSVC, accuracy, recall

X = np.array({X!r})
y = np.array({y!r})
constraints = [{constraints}]
clf = RateSVC(**{parameters!r}, constraints=constraints).fit(X, y, sample_weight={weights!r})
print(clf.status_, repr(clf.objective_), repr(clf.bound_), clf.decision_function(X))
'''


def write_reproducer(folder: Path, name: str, seed: int, failure: Failure) -> Path:
    """Write the script, and the instance as JSON beside it; return the script's path."""
    folder.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"\W+", "-", failure.kind).strip("-")
    path = folder / f"{name}-{seed}-{slug}.py"
    path.write_text(script(name, seed, failure))
    if failure.instance is not None:
        path.with_suffix(".json").write_text(to_json(failure.instance))
    return path


def script(name: str, seed: int, failure: Failure) -> str:
    """Return a script that puts the failing question."""
    instance = failure.instance
    detail = failure.detail.replace("\\", "/").replace('"""', "'''")
    told = {"kind": failure.kind, "detail": detail, "name": name, "seed": seed}
    if isinstance(instance, SelectionInstance):
        return SELECTION.format(
            **told,
            **_data(instance),
            made="in_parts" if SPARSE in instance.setting else "np.array",
            parameters=_selection(instance),
            setting=instance.setting,
        )
    if isinstance(instance, TrainingInstance):
        parameters, constraints = _training(instance)
        return TRAINING.format(
            **told, **_data(instance), parameters=parameters, constraints=constraints
        )
    return f'"""{failure.kind}\n\n{detail}\n\nMade by: python -m fuzz {name} --seed {seed}\n"""\n'


def _data(instance: Instance) -> dict[str, object]:
    X = [list(row) for row in instance.X]
    labels = [instance.labels[int(v)] for v in instance.y]
    return {"X": X, "y": labels, "weights": list(instance.weights) or None}


def _selection(instance: SelectionInstance) -> dict[str, object]:
    from fuzz.checks.selection import parameters

    return parameters(instance)


def _training(instance: TrainingInstance) -> tuple[dict[str, object], str]:
    from fuzz.checks.training import parameters

    given = parameters(instance)
    del given["constraints"]
    texts = []
    for m in instance.measures:
        where = None if m.where is None else f"np.array({list(m.where)!r})"
        label = None if m.label is None else instance.labels[int(m.label)]
        plain = m.label is None and where is None
        texts.append(
            f"accuracy({m.min_rate!r})" if plain else f"recall({m.min_rate!r}, {label!r}, {where})"
        )
    return given, ", ".join(texts)
