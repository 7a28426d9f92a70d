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

CREATE TABLE hotels (
  hotel_id BIGINT NOT NULL,
  hotel_name STRING,
  city STRING,
  country_code STRING,
  stars INT,
  rooms INT,
  PRIMARY KEY (hotel_id)
);
