"""The prover core: dataflows as sums of terms, compared with the help of a solver."""
