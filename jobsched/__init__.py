"""A scheduler for long-lived managed jobs that needs no server.

Importing the package has no side effect and loads nothing heavy.
"""

__version__ = "0.1.0"
