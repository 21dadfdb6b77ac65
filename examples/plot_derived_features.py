"""
Derived features: pay for what is measured
==========================================

Squares and products of two measurements cost nothing to compute once both are measured. With
``feature_groups="derived"`` the price of a raw feature is paid once, however many columns use it.
"""

# %%
# Three measurements; only the first two matter, and not linearly: the positives lie in a ring.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from frugalsvm import FrugalSVC

rng = np.random.default_rng(0)
raw = pd.DataFrame(rng.uniform(-2, 2, size=(500, 3)), columns=["length", "width", "weight"])
ring = np.hypot(raw["length"], 1.3 * raw["width"]) + rng.normal(scale=0.15, size=500) < 1.5

polynomials = PolynomialFeatures(degree=2, include_bias=False).set_output(transform="pandas")
clf = FrugalSVC(
    min_tpr=0.93,
    min_tnr=0.93,
    feature_groups="derived",
    feature_costs={"length": 2.0, "width": 3.0, "weight": 1.0},
    time_limit=10,
)
model = make_pipeline(polynomials, clf).fit(raw, ring)
print(f"cost {clf.cost_:g} ({clf.status_}):", ", ".join(clf.get_feature_names_out()))

# %%
# Length and width are measured, for 2 + 3; their squares come free. The weight is not needed.
grid = np.linspace(-2, 2, 161)
length, width = np.meshgrid(grid, grid)
plane = pd.DataFrame({"length": length.ravel(), "width": width.ravel(), "weight": 0.0})
value = model.decision_function(plane).reshape(length.shape)
figure, ax = plt.subplots(figsize=(5.4, 4.8), layout="constrained")
ax.contourf(length, width, value > 0, levels=[-0.5, 0.5, 1.5], colors=["#dbe9f6", "#fde2cf"])
ax.contour(length, width, value, levels=[0], colors="0.2")
ax.scatter(raw["length"], raw["width"], c=np.where(ring, "tab:orange", "tab:blue"), s=10)
ax.set(xlabel="length (costs 2)", ylabel="width (costs 3)", title="the classifier on its panel")
plt.show()
