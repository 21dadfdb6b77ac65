"""What a problem is once it is reduced: data, prices, gaps, fits. Imports no other room."""
