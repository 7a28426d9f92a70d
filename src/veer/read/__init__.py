"""Readers: text in, `Dataflow` out; one module or package per input language."""
