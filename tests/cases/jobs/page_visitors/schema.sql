CREATE TABLE hits (
  visitor_id STRING,
  page STRING NOT NULL,
  referrer STRING,
  hit_at TIMESTAMP NOT NULL
);
CREATE TABLE pages (
  page STRING NOT NULL,
  section STRING,
  PRIMARY KEY (page)
);
