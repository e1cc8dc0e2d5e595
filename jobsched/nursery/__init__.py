"""Controllers by fork: a small process, loaded once, that makes one controller in milliseconds.

It is started on demand by whoever has claimed jobs and finds none, holds ``nursery.lock`` while it
lives, and leaves when it has no children. Losing it at any moment loses nothing: controllers go on
without it (each sees its end and ticks for itself), and the next pass starts another. It opens no
database, which could not be carried across a fork, and decides nothing.

``handing`` is the way in: one message a batch, with the descriptors that hold the attempts' locks.
``brood`` is the process itself, which is handed what its children are to become.
"""
