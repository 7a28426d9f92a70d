"""A report in the formats people and programs read."""
