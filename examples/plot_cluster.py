"""
A cluster with Dask
===================

The estimators run wherever joblib runs. Here Dask hands the fits of a grid search to workers; on
a cluster only the line with the client's address changes.
"""

# %%
# Two workers on this machine stand for the cluster.
import joblib
import matplotlib.pyplot as plt
import pandas as pd
from dask.distributed import Client
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV

from frugalsvm import FrugalSVC

X, y = load_wine(return_X_y=True, as_frame=True)
search = GridSearchCV(
    FrugalSVC(min_tpr=0.9, min_tnr=0.9, time_limit=10),
    {"min_tpr": [0.85, 0.9, 0.95, 0.98], "min_tnr": [0.85, 0.9, 0.95, 0.98]},
    scoring="balanced_accuracy",
    cv=4,
)

# %%
# ``processes=False`` keeps the workers within this process, so that the example starts at once.
# On a real cluster: ``Client("tcp://scheduler:8786")``.
with (
    Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None),
    joblib.parallel_config(backend="dask"),
):
    search.fit(X, y == 1)

# %%
# Of the 16 pairs of targets, which gives the best balanced accuracy on other samples? The most
# demanding need not.
results = pd.DataFrame(search.cv_results_)
table = results.pivot(index="param_min_tpr", columns="param_min_tnr", values="mean_test_score")
figure, ax = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
image = ax.imshow(table, origin="lower", cmap="viridis")
ax.set(
    xticks=range(4),
    xticklabels=table.columns,
    yticks=range(4),
    yticklabels=table.index,
    xlabel="TNR asked for",
    ylabel="TPR asked for",
    title=f"{len(results) * 4} fits on two workers",
)
figure.colorbar(image, label="balanced accuracy in cross-validation")
plt.show()
print(search.best_params_, "->", ", ".join(search.best_estimator_.get_feature_names_out()))
