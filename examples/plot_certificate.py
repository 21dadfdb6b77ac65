"""
A certificate from samples set aside
====================================

Cross-validation says what to expect. A statement with a confidence needs samples that had no part
in anything: how many, and what they then say.
"""

# %%
# **How many?** As many of each class as :func:`frugalsvm.required_samples` says; the closer the
# true rate is to the target, the more.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

from frugalsvm import FrugalSVCCV, ScoresDisplay, required_samples

true_rates = np.linspace(0.875, 0.995, 13)
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for target in (0.80, 0.85):
    needed = [required_samples(target, rate, confidence=0.95) for rate in true_rates]
    ax.plot(true_rates, needed, "o-", label=f"to confirm {target}")
ax.set(xlabel="true rate", ylabel="samples of the class", yscale="log")
ax.legend(frameon=False)
plt.show()

# %%
# **What they say.** Three samples in ten are set aside before anything is learned.
X, y = make_classification(
    1400, 8, n_informative=4, n_redundant=2, class_sep=1.6, flip_y=0.02, random_state=4
)
clf = FrugalSVCCV(
    min_tpr=0.85, min_tnr=0.85, test_size=0.3, confidence=0.95, time_limit=12, random_state=0
).fit(X, y)
print(clf.certificate_)

# %%
# The same as a figure: decision values of the samples set aside. Any threshold within the window
# would be certified; the classifier's is at 0.
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ScoresDisplay.from_estimator(clf, X[clf.held_out_], y[clf.held_out_], ax=ax)
plt.show()

# %%
# It is a statement about the procedure: the probability that it certifies a classifier that
# misses a target is at most 0.05. Fitting again with other seeds until it passes voids it.
