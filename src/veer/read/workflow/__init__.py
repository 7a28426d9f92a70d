"""Workflow files: Veer's own JSON or YAML for GUI-like dataflows."""
