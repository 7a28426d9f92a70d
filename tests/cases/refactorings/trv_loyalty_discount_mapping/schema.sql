CREATE TABLE bookings (
  booking_id BIGINT NOT NULL,
  customer_id BIGINT,
  hotel_id BIGINT NOT NULL,
  channel STRING,
  booked_at TIMESTAMP NOT NULL,
  checkin DATE NOT NULL,
  checkout DATE,
  status STRING,
  total_amount DECIMAL(10,2),
  PRIMARY KEY (booking_id)
);

CREATE TABLE customers (
  customer_id BIGINT NOT NULL,
  email STRING,
  first_name STRING,
  last_name STRING,
  loyalty_tier STRING,
  created_at TIMESTAMP NOT NULL,
  PRIMARY KEY (customer_id)
);
