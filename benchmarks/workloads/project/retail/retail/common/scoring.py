"""Scores, ratios and segments."""

from pyspark.sql import Column
from pyspark.sql import functions as F


def share_of(part: str, total: str, scale: int = 4) -> Column:
    """part / total rounded, null when the total is zero or missing."""
    ratio = F.col(part) / F.col(total)
    return F.when(F.col(total) != 0, F.round(ratio, scale))


def score_by_thresholds(name: str, thresholds: list) -> Column:
    """1 below the first threshold, one more point per threshold reached."""
    score = F.lit(1)
    for limit in thresholds:
        score = score + F.when(F.col(name) >= limit, 1).otherwise(0)
    return score


def segment_name(recency, frequency, monetary):
    """Marketing segment of a customer, from three scores of 1-4."""
    if recency is None or frequency is None or monetary is None:
        return "unknown"
    total = recency + frequency + monetary
    if total >= 10:
        return "champion"
    if recency >= 3 and frequency <= 1:
        return "new"
    if recency == 1:
        return "lost"
    return "regular"
