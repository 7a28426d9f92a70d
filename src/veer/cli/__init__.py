"""The command line: parse a request, call the API, print a report."""
