MODEL (name shop.names, kind FULL);

SELECT c.name, s.total
FROM shop.spent AS s
JOIN raw.customers AS c ON s.customer = c.id
