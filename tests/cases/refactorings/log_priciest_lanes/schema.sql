CREATE TABLE shipments (
  shipment_id BIGINT NOT NULL,
  order_ref STRING,
  origin STRING NOT NULL,
  destination STRING NOT NULL,
  carrier_id INT,
  weight_kg SMALLINT,
  created_on DATE NOT NULL,
  promised_on DATE,
  delivered_on DATE,
  freight DECIMAL(10,2),
  PRIMARY KEY (shipment_id)
);

CREATE TABLE lane_rates (
  origin STRING NOT NULL,
  destination STRING NOT NULL,
  rate DECIMAL(8,2) NOT NULL,
  PRIMARY KEY (origin, destination)
);
