"""Laws of expressions, and the one simplifier that applies them: see `laws`."""
