-- Nightly marts of the shop: revenue, customers, returns, deliveries.

CREATE TEMPORARY VIEW valid_orders AS
SELECT order_id, customer_id, ordered_on, channel, voucher
FROM orders
WHERE status NOT IN ('test', 'cancelled');

CREATE TEMPORARY VIEW sold_items AS
SELECT
  order_id, line, product_id, quantity,
  quantity * unit_price - coalesce(discount, 0) AS amount
FROM order_items
WHERE quantity > 0;

CREATE TEMPORARY VIEW order_lines AS
SELECT
  o.order_id, o.customer_id, o.ordered_on, o.channel,
  i.line, i.product_id, i.quantity, i.amount
FROM valid_orders AS o
JOIN sold_items AS i ON i.order_id = o.order_id;

-- 1. Revenue by day, country and category, own goods and gift cards apart.
CREATE TABLE daily_revenue AS
WITH dach AS (
  SELECT customer_id, country
  FROM customers
  WHERE country = 'DE' OR country = 'AT' OR country = 'CH'
),
on_sale AS (
  SELECT product_id, category
  FROM products
  WHERE discontinued = false
),
recent AS (
  SELECT customer_id, product_id, ordered_on, order_id, quantity, amount
  FROM order_lines
  WHERE DATE '2023-01-01' <= ordered_on
),
priced AS (
  SELECT l.ordered_on, c.country, p.category, l.order_id, l.quantity, l.amount
  FROM recent AS l
  JOIN on_sale AS p ON l.product_id = p.product_id
  JOIN dach AS c ON l.customer_id = c.customer_id
)
SELECT
  ordered_on, country, category,
  COUNT(DISTINCT order_id) AS orders, SUM(quantity) AS pieces, SUM(amount) AS revenue
FROM priced
WHERE NOT (category = 'gift card')
GROUP BY ordered_on, country, category
UNION ALL
SELECT
  ordered_on, country, 'gift card' AS category,
  COUNT(DISTINCT order_id) AS orders, SUM(quantity) AS pieces, SUM(amount) AS revenue
FROM priced
WHERE category = 'gift card'
GROUP BY ordered_on, country;

-- 2. What customers are worth, with their place in their country.
CREATE TABLE customer_value AS
WITH spending AS (
  SELECT customer_id, COUNT(DISTINCT order_id) AS orders, SUM(amount) AS spent
  FROM order_lines
  GROUP BY customer_id
  HAVING COUNT(DISTINCT order_id) >= 2
),
graded AS (
  SELECT
    c.customer_id,
    c.country,
    s.orders,
    s.spent,
    CASE
      WHEN s.spent > 1000 THEN 'gold'
      WHEN s.spent > 200 THEN 'silver'
      ELSE 'bronze'
    END AS grade
  FROM customers AS c
  JOIN spending AS s ON c.customer_id = s.customer_id
  WHERE c.registered_on < DATE '2024-07-01'
)
SELECT
  customer_id, country, orders, spent, grade,
  RANK() OVER (PARTITION BY country ORDER BY spent DESC) AS place
FROM graded;

-- 3. Returns of each product, by who is to blame.
CREATE TABLE product_returns AS
WITH judged AS (
  SELECT
    r.order_id,
    r.line,
    r.quantity,
    CASE
      WHEN r.reason IS NULL THEN 'unknown'
      WHEN r.reason IN ('wrong item', 'missing part') THEN 'warehouse'
      WHEN r.reason = 'damaged' THEN 'carrier'
      ELSE 'customer'
    END AS blame
  FROM returns AS r
  WHERE r.returned_on >= DATE '2023-01-01' AND r.returned_on <= DATE '2024-12-31'
),
returned AS (
  SELECT l.product_id, j.blame, COUNT(*) AS times, SUM(j.quantity) AS pieces
  FROM order_lines AS l
  JOIN judged AS j ON l.line = j.line AND l.order_id = j.order_id
  GROUP BY l.product_id, j.blame
  HAVING SUM(j.quantity) >= 5
)
SELECT p.sku, p.title, r.blame, r.times, r.pieces
FROM returned AS r
JOIN (SELECT product_id, sku, title FROM products WHERE category IS NOT NULL) AS p
  ON p.product_id = r.product_id
ORDER BY p.sku, r.blame;

-- 4. Deliveries that came late, or not at all.
CREATE TABLE late_deliveries AS
WITH sent AS (
  SELECT s.shipment_id, s.order_id, s.carrier, s.promised_on, s.delivered_on, w.city
  FROM shipments AS s
  JOIN warehouses AS w ON s.warehouse_id = w.warehouse_id
  WHERE s.shipped_on IS NOT NULL AND w.closed_on IS NULL
),
late AS (
  SELECT shipment_id, order_id, carrier, city, datediff(delivered_on, promised_on) AS days
  FROM sent
  WHERE delivered_on > promised_on
  UNION ALL
  SELECT shipment_id, order_id, carrier, city, CAST(NULL AS INT) AS days
  FROM sent
  WHERE delivered_on IS NULL AND promised_on < DATE '2024-12-31'
)
SELECT
  l.city,
  coalesce(l.carrier, 'own fleet') AS carrier,
  COUNT(*) AS shipments,
  COUNT(DISTINCT o.customer_id) AS customers,
  MAX(l.days) AS worst
FROM late AS l
JOIN orders AS o ON l.order_id = o.order_id
GROUP BY l.city, coalesce(l.carrier, 'own fleet')
HAVING COUNT(*) > 1;

-- 5. Where each parcel was seen last.
CREATE TABLE last_seen AS
WITH ranked AS (
  SELECT
    shipment_id, event_time, event_code, place,
    RANK() OVER (PARTITION BY shipment_id ORDER BY event_time DESC) AS newest
  FROM tracking_events
  WHERE event_code <> 'label printed'
)
SELECT s.shipment_id, s.carrier, e.event_time, e.event_code, e.place
FROM shipments AS s
JOIN ranked AS e ON s.shipment_id = e.shipment_id
WHERE e.newest = 1 AND s.delivered_on IS NULL;
