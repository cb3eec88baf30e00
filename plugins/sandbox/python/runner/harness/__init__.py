"""Runs jobs inside Pyodide. The harness shares its process with the code under test, so the service does not rely on its totals: see
`Trust` in agents/sandbox.ts. JavaScript writes the frames around what is sent here."""
