"""The intermediate representation: types, schemas, expressions, operators and the DAG they form."""
