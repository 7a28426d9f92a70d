CREATE TABLE meter_reads (
  meter_id BIGINT NOT NULL,
  read_date DATE NOT NULL,
  kwh DECIMAL(9,3),
  tariff STRING,
  quality STRING
);
CREATE TABLE meters (
  meter_id BIGINT NOT NULL,
  customer_id BIGINT,
  installed DATE,
  max_kw DOUBLE,
  PRIMARY KEY (meter_id)
);
CREATE TABLE outages (
  meter_id BIGINT,
  outage_date DATE,
  cause STRING
);
