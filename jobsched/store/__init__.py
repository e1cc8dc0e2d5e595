"""The database: tables, transactions, moves, queries. The only package that imports SQLAlchemy."""
