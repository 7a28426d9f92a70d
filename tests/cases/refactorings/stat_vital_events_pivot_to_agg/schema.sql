CREATE TABLE vital_events (
  event_id BIGINT NOT NULL,
  event_type STRING,
  event_date DATE NOT NULL,
  municipality_code STRING,
  registered_at TIMESTAMP,
  PRIMARY KEY (event_id)
);

CREATE TABLE municipalities (
  municipality_code STRING NOT NULL,
  municipality_name STRING,
  region_code STRING,
  area_km2 DECIMAL(10,2),
  PRIMARY KEY (municipality_code)
);
