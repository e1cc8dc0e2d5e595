"""Every statement that the store runs, written once, in SQLAlchemy Core.

Nothing of this package is loaded where jobsched runs: ``store/sql.py`` holds what Core compiles its
statements to, and ``make sql`` writes that file anew (a test tells when it is out of date). To load
SQLAlchemy costs a process 0.2 s and 23 MB, and a controller is a process a job. The one exception
are filters and sort orders of a console's list, which are made up as they are asked for.
"""
