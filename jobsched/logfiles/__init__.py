"""The logs as files: reading their ends, following them, keeping them short.

``holes`` knows what a file system says of a file's holes, ``cursor`` reads one path for ever,
``sources`` says which files a job has, ``follower`` reads them all in order, ``trim`` drops what is
old. Nothing here ticks, and nothing decodes: a log is bytes.
"""
