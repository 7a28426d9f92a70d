"""A dataflow in, an equal dataflow in normal form out."""
