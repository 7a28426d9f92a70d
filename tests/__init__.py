"""Tests; `generators` makes random inputs, `spark` compares with Spark itself."""
