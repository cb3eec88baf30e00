"""Runs jobs inside of Pyodide. What is reported here shares its process with the code: nothing outside believes more of it than
that the tests said so, see `Trust` in agents/types.ts. The frames around the reports are written by JavaScript."""
