"""
The frontier: cost against both rates
=====================================

Before one settles on two numbers it helps to see what others would cost.
:func:`frugalsvm.frontier` finds the cheapest panel for every pair of a grid, with proofs, and
shares the work between them.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from frugalsvm import frontier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
found = frontier(
    X,
    y,
    min_tprs=[0.85, 0.90, 0.93, 0.95, 0.97],
    min_tnrs=[0.85, 0.90, 0.93, 0.95],
    cv=5,
    time_limit=4,
    total_time_limit=15,
)

# %%
# Numbers are costs (here: how many features); points worth choosing are marked. A point is worth
# choosing if no other asks for as much at the same or a lower cost.
figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
found.plot(ax=ax)
plt.show()

# %%
# The points worth choosing, as a table. The cross-validated rates are what remains on samples
# that the classifier was not trained on; the panel itself was chosen with all of them.
frame = found.to_frame()
print(frame[frame["efficient"]].iloc[:, :8].to_string(index=False))
