"""One panel for several classes or several columns of labels, as the estimators offer it."""
