"""The SVM for known wrong rows: an active-set method on its dual, in compiled code."""
