"""Documents in which one value is another, with right checksums: as only an enemy makes them."""

import copy
import random
import sqlite3
from pathlib import Path

from studio.document import sealing
from torture.places_in_json import STRANGE, places

RECORDS = (
    ("runs", "body", "SELECT id, id FROM runs", "run {}"),
    ("runs", "status", "SELECT id, id FROM runs", "status {}"),
    ("trials", "body", "SELECT id, run || ' ' || number FROM trials", "trial {}"),
    ("spaces", "body", "SELECT id, id FROM spaces", "space {}"),
    ("data", "body", "SELECT id, id FROM data WHERE body IS NOT NULL", "table {}"),
    ("arrays", "header", "SELECT id, id FROM arrays", "array {}"),
    ("ensembles", "body", "SELECT run, run FROM ensembles", "ensemble {}"),
)
"""Table, column, query of (row, name), label of a record."""


def change_a_value(path: Path, rng: random.Random) -> str:
    """Change one value of one record; say which."""
    connection = sqlite3.connect(path)
    try:
        while True:
            table, column, query, label = rng.choice(RECORDS)
            rows = connection.execute(query).fetchall()
            if not rows:
                continue
            row, name = rng.choice(rows)
            key = "run" if table == "ensembles" else "id"
            wanted = f"SELECT {column} FROM {table} WHERE {key} = ?"
            (text,) = connection.execute(wanted, (row,)).fetchone()
            named = label.format(name)
            content = sealing.unseal(text, named)
            inside = list(places(content))
            if not inside:
                continue
            where, change = rng.choice(inside)
            changed = copy.deepcopy(content)
            strange = rng.choice(STRANGE)
            change(changed, strange)
            put = f"UPDATE {table} SET {column} = ? WHERE {key} = ?"
            connection.execute(put, (sealing.seal(changed, named), row))
            connection.commit()
            return f"{named} {where} is {strange!r}"
    finally:
        connection.close()
