MODEL (name shop.spent, kind VIEW);

SELECT customer, SUM(total) AS total
FROM shop.orders
GROUP BY customer
