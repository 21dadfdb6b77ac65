"""
Credit data: pay a source once
==============================

Data about an applicant come from sources that are paid once for everything they tell: the form
that the applicant fills in, the bank's own books, and three agencies. Which sources are enough?
"""

# %%
# Applicants, generated: default depends on income, debts and earlier arrears. Every agency tells
# several things, with some noise of its own.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from frugalsvm import FrugalSelector

rng = np.random.default_rng(3)
n = 260
income, debts, arrears = rng.normal(size=(3, n))
risk = 1.3 * debts + 1.5 * arrears - 1.1 * income + rng.normal(scale=0.6, size=n)
default = np.where(risk > 0.8, "default", "paid")

told = {
    ("form", "declared income"): income + rng.normal(scale=1.2, size=n),
    ("form", "age"): rng.normal(41, 11, n),
    ("form", "years in job"): rng.gamma(2, 3, n) + 0.8 * income,
    ("books", "balance"): income - debts + rng.normal(scale=1.2, size=n),
    ("books", "overdrafts"): arrears + rng.normal(scale=1.1, size=n),
    ("agency A", "A: score"): risk + rng.normal(scale=1.4, size=n),
    ("agency A", "A: loans"): debts + rng.normal(scale=0.8, size=n),
    ("agency B", "B: arrears"): arrears + rng.normal(scale=0.3, size=n),
    ("agency B", "B: debts"): debts + rng.normal(scale=0.4, size=n),
    ("agency C", "C: salary"): income + rng.normal(scale=0.2, size=n),
    ("agency C", "C: employer"): income + rng.normal(scale=1.0, size=n),
}
X = pd.DataFrame({feature: values for (_, feature), values in told.items()})
source = {feature: name for name, feature in told}
price = {"form": 0, "books": 0.5, "agency A": 1.2, "agency B": 3.5, "agency C": 2.0}

# %%
# Features themselves are free here, sources are not. The stricter the demand, the more sources
# are needed. Every answer comes with a bound: where it equals the cost, no cheaper choice of
# sources admits a linear classifier with these rates on these applicants; where it is lower, the
# two seconds that a search may take here were over before that was known.
rows = []
for rate in (0.70, 0.75, 0.80, 0.84, 0.87, 0.90):
    selector = FrugalSelector(
        min_tpr=rate,
        min_tnr=rate,
        pos_label="default",
        feature_costs=0,
        feature_groups=source,
        group_costs=price,
        time_limit=2,
    ).fit(X, default)
    used = sorted({source[name] for name in selector.get_feature_names_out()})
    rows.append((rate, selector.cost_, selector.bound_, selector.status_, ", ".join(used)))
print(pd.DataFrame(rows, columns=["both rates", "cost", "bound", "status", "sources"]).to_string())

# %%
figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
rates, costs, bounds = (np.array(column) for column in list(zip(*rows, strict=True))[:3])
ax.step(rates, costs, where="pre", marker="o", label="cheapest found")
ax.step(rates, bounds, where="pre", linestyle=":", label="proven lower bound")
for rate, cost, *_, used in rows[::2]:
    ax.annotate(used, (rate, cost), (-4, 6), textcoords="offset points", ha="right", fontsize=8)
ax.set(xlabel="TPR and TNR asked for", ylabel="cost of an application", xlim=(0.58, 0.92))
ax.legend(frameon=False, loc="upper left")
plt.show()
