"""KNIME workflows: `.knwf` archives, and folders with a `workflow.knime`."""
