CREATE TABLE outages (
  outage_id BIGINT NOT NULL,
  zone STRING NOT NULL,
  started_at TIMESTAMP NOT NULL,
  ended_at TIMESTAMP,
  customers_hit INT,
  PRIMARY KEY (outage_id)
);
