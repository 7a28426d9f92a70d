"""The search of the paper: windows, decompositions and segments (sections 4 to 7)."""
