"""Looking for proofs."""
