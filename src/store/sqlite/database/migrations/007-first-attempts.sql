-- The attempt of a delivery that succeeded at once, in place of a row of `attempts`. A second attempt moves it there.
alter table deliveries add column first_started_at integer;
alter table deliveries add column first_answer blob;
