CREATE TABLE trips (
  trip_id BIGINT NOT NULL,
  vehicle_id INT NOT NULL,
  distance_m INT NOT NULL,
  fuel_ml INT,
  started_at TIMESTAMP,
  PRIMARY KEY (trip_id)
);
CREATE TABLE vehicles (
  vehicle_id INT NOT NULL,
  depot STRING,
  fuel STRING,
  PRIMARY KEY (vehicle_id)
);
