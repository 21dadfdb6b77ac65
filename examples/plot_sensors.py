"""
Sensors: how many does the machine need?
========================================

Nine vibration sensors can be screwed onto a gearbox. Each gives three numbers (mean, spread,
peak). A sensor is paid once; the cable to the far side of the machine is paid once, too, for
however many sensors hang on it. A feature may need several such things at the same time.
"""

# %%
# A fault shakes the bearing near sensor 4, and less so its neighbours.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from frugalsvm import FrugalSVC

rng = np.random.default_rng(11)
n = 240
fault = rng.random(n) < 0.3
load = rng.normal(size=n)
place = np.array([(col, row) for row in range(3) for col in range(3)])
distance = np.linalg.norm(place - place[4] - (0.3, 0.2), axis=1)

columns, groups = {}, {}
for k in range(9):
    shake = fault * np.exp(-distance[k]) * (1.9 + 0.4 * rng.normal(size=n))
    columns[f"mean {k}"] = 0.7 * load + 0.3 * shake + rng.normal(scale=0.6, size=n)
    columns[f"spread {k}"] = 0.6 + 0.9 * shake + 0.4 * load + rng.gamma(3, 0.22, n)
    columns[f"peak {k}"] = 2.0 + 1.6 * shake + 0.5 * load + rng.gumbel(scale=0.8, size=n)
    needs = (f"sensor {k}", "cable") if place[k, 1] == 2 else f"sensor {k}"
    groups |= {f"{what} {k}": needs for what in ("mean", "spread", "peak")}
X = pd.DataFrame(columns)

# %%
# The sensor in the middle sits in the oil and is dear.
price = {f"sensor {k}": 30.0 for k in range(9)} | {"sensor 4": 95.0, "cable": 20.0}
clf = FrugalSVC(
    min_tpr=0.92,
    min_tnr=0.85,
    feature_costs=0,
    feature_groups=groups,
    group_costs=price,
    time_limit=8,
).fit(X, fault)
print(
    f"{clf.cost_:g} (bound {clf.bound_:g}, {clf.status_}):",
    *clf.get_feature_names_out(),
    sep="\n  ",
)

# %%
# What is used, on the map of the machine; the cross is the bearing.
used = {int(name.split()[-1]) for name in clf.get_feature_names_out()}
figure, ax = plt.subplots(figsize=(5.4, 4.6), layout="constrained")
for k, (col, row) in enumerate(place):
    colour = "tab:green" if k in used else "0.85"
    ax.scatter(col, row, s=2600, color=colour, edgecolor="0.4", zorder=2)
    ax.annotate(f"{k}\n{price[f'sensor {k}']:g}", (col, row), ha="center", va="center")
ax.plot(1.3, 1.2, "x", color="tab:red", markersize=12, markeredgewidth=3, zorder=3)
ax.axhspan(1.5, 2.5, color="tab:blue", alpha=0.08)
ax.annotate("needs the cable (20)", (2.45, 2.38), ha="right", fontsize=9)
ax.set(xlim=(-0.5, 2.5), ylim=(-0.5, 2.5), xticks=[], yticks=[], title="sensors used (green)")
ax.set_aspect("equal")
plt.show()
