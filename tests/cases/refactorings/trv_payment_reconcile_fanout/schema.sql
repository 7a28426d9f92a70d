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

CREATE TABLE payments (
  payment_id BIGINT NOT NULL,
  booking_id BIGINT NOT NULL,
  paid_at TIMESTAMP,
  amount DECIMAL(10,2),
  method STRING,
  PRIMARY KEY (payment_id)
);

CREATE TABLE refunds (
  refund_id BIGINT NOT NULL,
  booking_id BIGINT NOT NULL,
  amount DECIMAL(10,2) NOT NULL,
  reason STRING,
  PRIMARY KEY (refund_id)
);

CREATE TABLE hotels (
  hotel_id BIGINT NOT NULL,
  hotel_name STRING,
  city STRING,
  country_code STRING,
  stars INT,
  rooms INT,
  PRIMARY KEY (hotel_id)
);
