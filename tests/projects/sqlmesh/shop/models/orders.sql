MODEL (name shop.orders, kind FULL, grain id);

SELECT id, customer, total, YEAR(day) AS year
FROM raw.orders
WHERE total > @VAR('least', 10)
