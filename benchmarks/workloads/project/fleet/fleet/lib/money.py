"""Money helpers. All amounts leave these functions as DECIMAL(14,2)."""

from pyspark.sql import Column
from pyspark.sql import functions as F

MONEY = "decimal(14,2)"


def round_money(amount: Column) -> Column:
    """Commercial rounding to cents."""
    return F.round(amount, 2).cast(MONEY)


def zero_if_null(name: str) -> Column:
    """Amounts that are missing count as nothing."""
    return F.coalesce(F.col(name), F.lit(0)).cast(MONEY)


def apply_discount(price: Column, pct: Column) -> Column:
    """Price after a discount in percent (null = no discount)."""
    factor = F.lit(100) - F.coalesce(pct, F.lit(0))
    return round_money(price * factor / 100)


def to_eur(amount: Column, rate: Column) -> Column:
    """Convert with the monthly rate; a missing rate means the amount is in EUR."""
    return round_money(amount * F.coalesce(rate, F.lit(1)))
