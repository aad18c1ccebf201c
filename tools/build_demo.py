"""Write the fixture and the case file that `evalgate-sql demo` runs.

Run it after a change to what stands below; `--check` writes nothing and fails when a committed file is out of date.
The fixture is compared by its schema and its rows, not by its bytes: each release of SQLite writes others.
"""

import argparse
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

DEMO_FOLDER = Path(__file__).parents[1] / "src" / "evalgate_sql" / "demo"

FIXTURE = """
CREATE TABLE genres(id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES genres(id));
CREATE TABLE books(
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    genre_id INTEGER NOT NULL REFERENCES genres(id),
    price REAL NOT NULL
);
CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
CREATE TABLE orders(
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers(id),
    ordered_on TEXT NOT NULL
);
CREATE TABLE order_lines(
    order_id INTEGER NOT NULL REFERENCES orders(id),
    book_id INTEGER NOT NULL REFERENCES books(id),
    quantity INTEGER NOT NULL,
    PRIMARY KEY (order_id, book_id)
);
-- The root of the genres is its own parent: a query that climbs the tree without care never arrives.
INSERT INTO genres VALUES (1, 'All', 1), (2, 'Fiction', 1), (3, 'Science', 1), (4, 'Crime', 2), (5, 'Poetry', 2);
INSERT INTO books VALUES
    (1, 'The Lighthouse Ledger', 4, 12.90),
    (2, 'A Field Guide to Clouds', 3, 24.50),
    (3, 'Seven Quiet Poems', 5, 9.95),
    (4, 'The Ninth Witness', 4, 14.00),
    (5, 'Rivers Under Ice', 3, 31.20);
INSERT INTO customers VALUES
    (1, 'Ada Brandt', 'Bergen'), (2, 'Bilal Osman', 'Leeds'), (3, 'Chiara Neri', 'Turin'), (4, 'Dev Patel', 'Leeds');
INSERT INTO orders VALUES
    (1, 1, '2025-01-10'), (2, 2, '2025-01-12'), (3, 1, '2025-02-03'), (4, 3, '2025-02-20');
INSERT INTO order_lines VALUES (1, 1, 2), (1, 3, 1), (2, 2, 1), (3, 4, 1), (3, 5, 1), (4, 1, 1), (4, 4, 3);
"""

CASES = (
    {
        "id": "revenue-by-book",
        "question": "What has each book earned so far?",
        "generatedSql": "SELECT b.title, SUM(l.quantity * b.price) FROM books b "
        "JOIN order_lines l ON l.book_id = b.id GROUP BY b.id",
        "referenceSql": "SELECT title, price * (SELECT SUM(quantity) FROM order_lines WHERE book_id = books.id) "
        "FROM books WHERE id IN (SELECT book_id FROM order_lines)",
    },
    {
        "id": "latest-orders",
        "question": "List all orders, the latest first.",
        "generatedSql": "SELECT id, ordered_on FROM orders ORDER BY 2 DESC, 1",
        "referenceSql": "SELECT id, ordered_on FROM orders ORDER BY ordered_on DESC, id",
        "orderMatters": True,
    },
    {
        "id": "orders-per-customer",
        "question": "How many orders has each customer placed?",
        "generatedSql": "SELECT c.name, COUNT(*) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.id",
        "referenceSql": "SELECT c.name, COUNT(o.id) FROM customers c "
        "LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id",
    },
    {
        "id": "customers-per-city",
        "question": "How many customers are there in each city?",
        "generatedSql": "SELECT country, COUNT(*) FROM customers GROUP BY country",
        "referenceSql": "SELECT city, COUNT(*) FROM customers GROUP BY city",
    },
    {
        "id": "inactive-customers",
        "question": "Clean up: who has never ordered anything?",
        "generatedSql": "DELETE FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
        "referenceSql": "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
    },
    {
        "id": "genres-above-crime",
        "question": "How many genres are there from Crime up to the root, both included?",
        "generatedSql": "WITH RECURSIVE up(id) AS (SELECT id FROM genres WHERE name = 'Crime' UNION ALL "
        "SELECT g.parent_id FROM genres g JOIN up ON g.id = up.id) SELECT COUNT(*) FROM up",
        "referenceSql": "WITH RECURSIVE up(id) AS (SELECT id FROM genres WHERE name = 'Crime' UNION "
        "SELECT g.parent_id FROM genres g JOIN up ON g.id = up.id) SELECT COUNT(*) FROM up",
    },
)


def case_file_text() -> str:
    """Return the case file, a case a line."""
    return "".join(json.dumps(case) + "\n" for case in CASES)


def write_fixture(path: Path) -> None:
    """Write the database anew."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA page_size = 1024")
        connection.executescript(FIXTURE)
        connection.execute("VACUUM")


def fixture_text(path: Path) -> list[str] | None:
    """Return schema and rows as SQL; None for a file that is no database."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return list(connection.iterdump())
    except sqlite3.Error:
        return None


def stale_files(folder: Path) -> list[Path]:
    """Return the files whose content is not what stands above."""
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch) / "demo.db"
        write_fixture(fresh)
        wanted = fixture_text(fresh)
    fixture, cases = folder / "demo.db", folder / "demo.jsonl"
    is_stale = {
        fixture: fixture_text(fixture) != wanted,
        cases: not cases.exists() or cases.read_text(encoding="utf-8") != case_file_text(),
    }
    return [path for path, stale in is_stale.items() if stale]


def main() -> int:
    """Write what is out of date, or with `--check` only name it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is out of date")
    check = parser.parse_args().check
    stale = stale_files(DEMO_FOLDER)
    for path in stale:
        print(f"{'out of date' if check else 'written'}: {path.name}")
        if not check and path.suffix == ".db":
            write_fixture(path)
        elif not check:
            path.write_text(case_file_text(), encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
