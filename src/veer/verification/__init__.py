"""From a version pair to a report: sinks, columns, proofs checked and guarded, evidence."""
