CREATE TABLE events (
  event_id BIGINT NOT NULL,
  visitor_id STRING,
  session_id STRING,
  event_ts TIMESTAMP,
  event_type STRING,
  url STRING,
  referrer STRING,
  campaign_id STRING,
  PRIMARY KEY (event_id)
);

CREATE TABLE sessions (
  session_id STRING NOT NULL,
  visitor_id STRING,
  started_at TIMESTAMP,
  device STRING,
  landing_page STRING,
  country STRING,
  pageviews INT,
  duration_s INT,
  PRIMARY KEY (session_id)
);
