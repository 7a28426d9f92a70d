"""Facts about a dataflow, each derived in one place; nothing here changes a dataflow."""
