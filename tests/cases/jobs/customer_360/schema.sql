CREATE TABLE customers (
  customer_id BIGINT NOT NULL,
  name STRING,
  joined_on DATE,
  PRIMARY KEY (customer_id)
);
CREATE TABLE purchases (
  customer_id BIGINT,
  amount DECIMAL(10,2),
  bought_on DATE
);
CREATE TABLE tickets (
  ticket_id BIGINT NOT NULL,
  customer_id BIGINT,
  satisfaction INT,
  PRIMARY KEY (ticket_id)
);
