MODEL (name shop.daily, kind INCREMENTAL_BY_TIME_RANGE (time_column day));

SELECT day, COUNT(*) AS n
FROM raw.orders
WHERE day BETWEEN @start_date AND @end_date
GROUP BY day
