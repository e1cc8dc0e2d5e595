"""One log, however long, as the console reads it: whole, by number, and never all at once.

``file`` reads the bytes at a path and notices what happens to it, ``tally`` and ``index`` know
where which line is, ``search`` which lines match, ``seeking`` the next one of them, ``lines`` and
``sgr`` make bytes fit to be seen, ``session`` does all of it in small steps for a view.
Everything here belongs to one thread at a time; memory is a few numbers for each 256 KiB.
"""
