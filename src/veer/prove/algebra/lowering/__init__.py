"""From dataflows to sum-normal form: `dataflows` lowers operator by operator, the rest are its parts.

rows         filters, projections, orders, functions of a row
joins        joins and lateral subqueries
aggregates   GROUP BY and aggregate calls
windows      window functions
order        limits, and set operations that count rows
groups       groups and limits spelled out once nothing moves into them any more
"""
