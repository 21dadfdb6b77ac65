"""Small sets of samples that cannot all be right, packed and branched on; compiled."""
