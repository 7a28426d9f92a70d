CREATE TABLE routes (
  route_id INT NOT NULL,
  origin STRING,
  via STRING,
  destination STRING,
  distance_km DOUBLE,
  PRIMARY KEY (route_id)
);
CREATE TABLE departures (
  route_id INT NOT NULL,
  vehicle STRING,
  departs_at TIMESTAMP NOT NULL,
  load_percent INT
);
