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

CREATE TABLE carriers (
  carrier_id INT NOT NULL,
  carrier_name STRING NOT NULL,
  mode STRING,
  PRIMARY KEY (carrier_id)
);
