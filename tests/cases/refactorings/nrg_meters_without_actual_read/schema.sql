CREATE TABLE meters (
  meter_id STRING NOT NULL,
  zone STRING,
  tariff STRING,
  customer_type STRING,
  capacity_kw INT,
  PRIMARY KEY (meter_id)
);

CREATE TABLE meter_reads (
  meter_id STRING NOT NULL,
  read_at TIMESTAMP NOT NULL,
  kwh BIGINT NOT NULL,
  export_kwh BIGINT,
  estimated BOOLEAN,
  PRIMARY KEY (meter_id, read_at)
);
