CREATE TABLE tracks (
  track_id BIGINT NOT NULL,
  title STRING,
  artist STRING,
  seconds DOUBLE,
  genres ARRAY<STRING>,
  PRIMARY KEY (track_id)
);
CREATE TABLE plays (
  track_id BIGINT,
  listener_id BIGINT,
  played_on DATE,
  skipped BOOLEAN
);
