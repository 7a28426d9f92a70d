CREATE TABLE deliveries (
  delivery_id BIGINT NOT NULL,
  street STRING,
  postal_code STRING,
  country STRING,
  weight_grams INT,
  PRIMARY KEY (delivery_id)
);
CREATE TABLE zones (
  country STRING NOT NULL,
  postal_prefix STRING NOT NULL,
  zone STRING,
  PRIMARY KEY (country, postal_prefix)
);
