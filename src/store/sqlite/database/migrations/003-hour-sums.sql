-- Callbacks of a kind (destination_id 0), or attempts of a destination (environment and kind empty), by the hour in which they ended.
CREATE TABLE hour_sums (
  hour integer not null,
  environment text not null,
  kind text not null,
  destination_id integer not null,
  succeeded integer not null,
  failed integer not null,
  primary key (hour, environment, kind, destination_id)
) strict, without rowid;
