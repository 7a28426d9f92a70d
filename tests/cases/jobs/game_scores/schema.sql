CREATE TABLE matches (
  match_id BIGINT NOT NULL,
  player_id BIGINT,
  mode STRING,
  score INT NOT NULL,
  kills INT,
  deaths INT,
  played_at TIMESTAMP,
  PRIMARY KEY (match_id)
);
CREATE TABLE players (
  player_id BIGINT NOT NULL,
  nickname STRING,
  banned BOOLEAN NOT NULL,
  PRIMARY KEY (player_id)
);
