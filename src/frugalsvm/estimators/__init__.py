"""The estimators that scikit-learn's users meet: one class a file."""
