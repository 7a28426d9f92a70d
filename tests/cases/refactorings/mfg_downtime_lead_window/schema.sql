CREATE TABLE machine_events (
  event_id BIGINT NOT NULL,
  machine_id STRING NOT NULL,
  event_ts TIMESTAMP NOT NULL,
  state STRING,
  reason_code STRING,
  PRIMARY KEY (event_id)
);

CREATE TABLE machines (
  machine_id STRING NOT NULL,
  line_id STRING,
  installed_on DATE,
  PRIMARY KEY (machine_id)
);
