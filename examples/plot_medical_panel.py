"""
A medical panel with prices
===========================

Thirteen things can be found out about a patient: some are free to ask, some need a blood sample,
some a scanner. Which of them are enough for a sensitivity of 0.85 and a specificity of 0.80 on
**new** patients, and what does that cost?
"""

# %%
# The patients are generated: a disease that shows in several of the measurements, some of which
# say the same thing twice.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from frugalsvm import FrugalSVCCV

rng = np.random.default_rng(7)
n = 900
ill = rng.random(n) < 0.45
age = rng.normal(54, 9, n) + 4 * ill
patients = pd.DataFrame(
    {
        "age": age.round(),
        "sex": rng.integers(0, 2, n),
        "chest pain": (rng.random(n) < np.where(ill, 0.80, 0.22)).astype(int),
        "blood pressure": rng.normal(128, 16, n) + 6 * ill,
        "cholesterol": rng.normal(240, 45, n) + 22 * ill,
        "glucose": rng.normal(100, 15, n) + 4 * ill,
        "troponin": rng.gamma(2, 6, n) + 12 * ill * rng.random(n),
        "resting ECG": (rng.random(n) < np.where(ill, 0.55, 0.35)).astype(int),
        "peak heart rate": rng.normal(160, 18, n) - 16 * ill - 0.5 * (age - 54),
        "ST depression": np.abs(rng.normal(0, 0.7, n)) + 1.0 * ill * rng.random(n),
        "vessels": rng.poisson(np.where(ill, 1.6, 0.25)),
        "thallium": (rng.random(n) < np.where(ill, 0.78, 0.20)).astype(int),
        "family history": (rng.random(n) < np.where(ill, 0.5, 0.4)).astype(int),
    }
)

# %%
# **Prices.** A blood test costs its reagent; drawing the blood is paid once, for whichever blood
# tests are made. The same holds for the exercise test, which gives two numbers.
prices = {
    "age": 1,
    "sex": 1,
    "chest pain": 1,
    "blood pressure": 1,
    "family history": 1,
    "cholesterol": 7.27,
    "glucose": 5.20,
    "troponin": 9.10,
    "resting ECG": 15.50,
    "peak heart rate": 0,
    "ST depression": 0,
    "vessels": 100.90,
    "thallium": 102.90,
}
groups = {"cholesterol": "blood", "glucose": "blood", "troponin": "blood"}
groups |= {"peak heart rate": "exercise test", "ST depression": "exercise test"}
group_prices = {"blood": 2.10, "exercise test": 87.30}
clf = FrugalSVCCV(
    min_tpr=0.85,
    min_tnr=0.80,
    feature_costs=prices,
    feature_groups=groups,
    group_costs=group_prices,
    time_limit=15,
).fit(patients, ill)

print("panel:", ", ".join(clf.get_feature_names_out()), f"for {clf.cost_:.2f}")
print(f"expected on new patients: TPR {clf.cv_tpr_:.3f}, TNR {clf.cv_tnr_:.3f}")

# %%
# What is paid for and what is not: group prices stand beside the features that need them.
panel = set(clf.get_feature_names_out())
everything = sum(prices.values()) + sum(group_prices.values())
order = sorted(prices, key=lambda name: prices[name] + group_prices.get(groups.get(name), 0))
figure, ax = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
for height, name in enumerate(order):
    colour = "tab:green" if name in panel else "0.8"
    shared = group_prices.get(groups.get(name), 0)
    ax.barh(height, prices[name], color=colour)
    ax.barh(height, shared, left=prices[name], color=colour, hatch="///", edgecolor="white")
ax.set(
    yticks=range(len(order)),
    yticklabels=order,
    xlabel="price alone (hatched: shared with its group)",
    title=f"the panel (green) costs {clf.cost_:.2f}, everything {everything:.2f}",
)
plt.show()

# %%
# The decision can be computed by hand, in units of measurement:
print(clf.model_.rule)
