"""One module for each `python -m benchmarks NAME`: its `main` takes the arguments."""
