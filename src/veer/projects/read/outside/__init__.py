"""Scripts that other Pythons run; alone in their folder, so that nothing here hides their modules."""
