"""Good classifiers quickly. This room may only offer: nothing in it closes a node."""
