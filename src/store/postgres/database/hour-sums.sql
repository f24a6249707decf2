-- Callbacks of a kind (destination_id 0), or attempts of a destination (environment and kind empty), by the hour in which they ended.
create table hour_sums (
  hour timestamptz not null,
  environment text not null,
  kind text not null,
  destination_id bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  primary key (hour, environment, kind, destination_id)
);
