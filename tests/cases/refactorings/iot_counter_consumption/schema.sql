CREATE TABLE counters (
  device_id STRING NOT NULL,
  ts TIMESTAMP NOT NULL,
  counter BIGINT NOT NULL,
  PRIMARY KEY (device_id, ts)
);

CREATE TABLE devices (
  device_id STRING NOT NULL,
  site_id INT,
  model STRING,
  firmware STRING,
  installed_on DATE,
  PRIMARY KEY (device_id)
);

CREATE TABLE sites (
  site_id INT NOT NULL,
  site_name STRING,
  region STRING,
  PRIMARY KEY (site_id)
);
