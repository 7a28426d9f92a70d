CREATE TABLE shipments (
  shipment_id BIGINT NOT NULL,
  route_id INT,
  carrier STRING,
  promised DATE,
  delivered DATE,
  weight_kg DECIMAL(8,2),
  PRIMARY KEY (shipment_id)
);
CREATE TABLE route_events (
  route_id INT,
  event STRING,
  event_date DATE
);
CREATE TABLE carriers (
  carrier STRING NOT NULL,
  tier INT,
  PRIMARY KEY (carrier)
);
