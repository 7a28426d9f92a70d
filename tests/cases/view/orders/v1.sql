-- Nightly marts of the shop: revenue, customers, returns, deliveries.

CREATE TEMPORARY VIEW valid_orders AS
SELECT order_id, customer_id, ordered_on, channel, voucher
FROM orders
WHERE status <> 'cancelled' AND status <> 'test';

CREATE TEMPORARY VIEW order_lines AS
SELECT
  o.order_id,
  o.customer_id,
  o.ordered_on,
  o.channel,
  i.line,
  i.product_id,
  i.quantity,
  i.quantity * i.unit_price - coalesce(i.discount, 0) AS amount
FROM valid_orders AS o
JOIN order_items AS i ON o.order_id = i.order_id
WHERE i.quantity > 0;

-- 1. Revenue by day, country and category, own goods and gift cards apart.
CREATE TABLE daily_revenue AS
WITH priced AS (
  SELECT l.ordered_on, c.country, p.category, l.order_id, l.quantity, l.amount
  FROM order_lines AS l
  JOIN customers AS c ON l.customer_id = c.customer_id
  JOIN products AS p ON l.product_id = p.product_id
  WHERE l.ordered_on >= DATE '2023-01-01'
    AND c.country IN ('AT', 'CH', 'DE')
    AND NOT p.discontinued
),
goods AS (
  SELECT
    ordered_on, country, category,
    COUNT(DISTINCT order_id) AS orders, SUM(quantity) AS pieces, SUM(amount) AS revenue
  FROM priced
  WHERE category <> 'gift card'
  GROUP BY ordered_on, country, category
),
cards AS (
  SELECT
    ordered_on, country, 'gift card' AS category,
    COUNT(DISTINCT order_id) AS orders, SUM(quantity) AS pieces, SUM(amount) AS revenue
  FROM priced
  WHERE category = 'gift card'
  GROUP BY ordered_on, country
)
SELECT ordered_on, country, category, orders, pieces, revenue FROM goods
UNION ALL
SELECT ordered_on, country, category, orders, pieces, revenue FROM cards;

-- 2. What customers are worth, with their place in their country.
CREATE TABLE customer_value AS
WITH spending AS (
  SELECT customer_id, COUNT(DISTINCT order_id) AS orders, SUM(amount) AS spent
  FROM order_lines
  GROUP BY customer_id
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
FROM graded
WHERE orders > 2;

-- 3. Returns of each product, by who is to blame.
CREATE TABLE product_returns AS
WITH judged AS (
  SELECT
    r.order_id,
    r.line,
    r.quantity,
    CASE
      WHEN r.reason = 'damaged' THEN 'carrier'
      WHEN r.reason = 'wrong item' THEN 'warehouse'
      WHEN r.reason = 'missing part' THEN 'warehouse'
      WHEN r.reason IS NULL THEN 'unknown'
      ELSE 'customer'
    END AS blame
  FROM returns AS r
  WHERE r.returned_on BETWEEN DATE '2023-01-01' AND DATE '2024-12-31'
),
returned AS (
  SELECT DISTINCT product_id, blame, times, pieces
  FROM (
    SELECT l.product_id, j.blame, COUNT(*) AS times, SUM(j.quantity) AS pieces
    FROM judged AS j
    JOIN order_lines AS l ON j.order_id = l.order_id AND j.line = l.line
    GROUP BY l.product_id, j.blame
  )
)
SELECT p.sku, p.title, r.blame, r.times, r.pieces
FROM returned AS r
JOIN products AS p ON r.product_id = p.product_id
WHERE r.pieces >= 5 AND p.category IS NOT NULL
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
WITH events AS (
  SELECT shipment_id, event_time, event_code, place
  FROM tracking_events
  WHERE event_code <> 'label printed'
),
latest AS (
  SELECT shipment_id, MAX(event_time) AS event_time
  FROM events
  GROUP BY shipment_id
)
SELECT s.shipment_id, s.carrier, e.event_time, e.event_code, e.place
FROM events AS e
JOIN latest AS m ON e.shipment_id = m.shipment_id AND e.event_time = m.event_time
JOIN shipments AS s ON s.shipment_id = e.shipment_id
WHERE s.delivered_on IS NULL;
