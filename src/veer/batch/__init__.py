"""Many pairs at once: over processes of this machine, or a cluster."""
