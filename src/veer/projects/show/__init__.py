"""The report on a project as JSON, and every other format made from it."""
