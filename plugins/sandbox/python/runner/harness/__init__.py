"""Runs jobs inside of Pyodide. What it needs of Python is taken hold of here, before any code of a job is there.

Nothing in this package trusts the code under test to leave Python as it was, and nothing outside of the sandbox trusts
this package: totals are counted again by the service, and the frames around its reports are written by JavaScript.
"""
