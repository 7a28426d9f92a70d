"""A whole project at two revisions: what a change altered, what it did not, what must run again."""
