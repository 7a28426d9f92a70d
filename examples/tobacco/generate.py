"""Users and tweets for the tobacco example, the same for the same seed.

python examples/tobacco/generate.py data 200 2000
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

BIOS = ("vape shop", "family first", "tobacco store", "runner", "sale every day", "", "reader")
TOPICS = (
    "Tobacco kills, quit now",
    "my grandfather grew tobacco",
    "cheap TOBACCO today",
    "nothing to see here",
    "tobacco taxes are rising",
)

User = tuple[int, str, str | None]
Tweet = tuple[int, int | None, str | None, int | None]


def generate(users: int, tweets: int, seed: int = 7) -> tuple[list[User], list[Tweet]]:
    """Rows of both tables; some values are missing, some authors unknown."""
    rng = random.Random(seed)
    made_users = [(i, f"user{i}", rng.choice([*BIOS, None])) for i in range(users)]
    made_tweets: list[Tweet] = []
    for i in range(tweets):
        author = None if rng.random() < 0.02 else int(rng.paretovariate(0.6)) % (users + 5)
        text = None if rng.random() < 0.02 else f"{rng.choice(TOPICS)} #{rng.randrange(50)}"
        made_tweets.append((i, author, text, rng.randrange(100)))
    return made_users, made_tweets


def main(target: str, users: int, tweets: int) -> None:
    """Write both tables as CSV files with a header."""
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    made_users, made_tweets = generate(users, tweets)
    for name, header, rows in (
        ("users", ("user_id", "name", "description"), made_users),
        ("tweets", ("tweet_id", "author_id", "text", "likes"), made_tweets),
    ):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows(rows)
        print(f"{folder / name}.csv: {len(rows)} rows")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
