"""
A score card on paper
=====================

A linear panel is a weighted sum. :func:`frugalsvm.score_card` rounds it to whole points that a
person can add up, and says what the rounding costs.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from frugalsvm import FrugalSVC, score_card

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
clf = FrugalSVC(min_tpr=0.95, min_tnr=0.92, time_limit=10).fit(X, y)
print(clf.model_.rule)

# %%
# As few points as the targets allow:
card = score_card(clf.model_, X, y)
print(card)

# %%
# The sum of points of every sample; from the cut-off on, it counts as positive (benign here).
points = card.points(X[clf.get_feature_names_out()].to_numpy())
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
bins = range(int(points.min()), int(points.max()) + 2)
for label, name in enumerate(("malignant", "benign")):
    ax.hist(points[y == label], bins=bins, alpha=0.6, label=name)
ax.axvline(card.cutoff, color="0.2", linestyle="--", label=f"cut-off {card.cutoff}")
ax.set(xlabel="points", ylabel="samples")
ax.legend(frameon=False)
plt.show()
