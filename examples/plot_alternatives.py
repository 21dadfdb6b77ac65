"""
Several panels of one cost
==========================

The cheapest panel is often not the only one. With ``n_alternatives`` others of the same cost are
listed, and ``alternatives_complete_`` says whether that list is proven to be complete: then the
choice is yours, for reasons that no table holds.
"""

# %%
# A selection alone is enough to list them.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from frugalsvm import FrugalSelector

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = FrugalSelector(min_tpr=0.967, min_tnr=0.918, n_alternatives=20, time_limit=20).fit(X, y)
panels = [selector.get_support(indices=True), *selector.alternatives_]
print(
    f"{len(panels)} panels of cost {selector.cost_:g}; "
    f"are these all? {'yes' if selector.alternatives_complete_ else 'not proven'}"
)

# %%
# All of them admit a hyperplane with these rates on the training data. How an ordinary SVM does on
# them in cross-validation is another matter, and one way to choose.
rates = []
for panel in panels:
    svm = make_pipeline(StandardScaler(), SVC(kernel="linear", class_weight="balanced"))
    guess = cross_val_predict(svm, X.iloc[:, panel], y, cv=5)
    rates.append((np.mean(guess[y == 1] == 1), np.mean(guess[y == 0] == 0)))
order = np.argsort([min(pair) for pair in rates])

figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
for height, k in enumerate(order):
    ax.plot(rates[k], [height, height], color="0.7", zorder=1)
ax.scatter([rates[k][0] for k in order], range(len(order)), label="TPR", zorder=2)
ax.scatter([rates[k][1] for k in order], range(len(order)), marker="s", label="TNR", zorder=2)
names = [" + ".join(X.columns[panels[k]]) for k in order]
ax.set(yticks=range(len(order)), yticklabels=names, xlabel="cross-validated rate of an SVM")
ax.legend(frameon=False)
plt.show()
