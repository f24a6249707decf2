-- Alarms that are going on or are still to be sent, mutes, and the state of each channel. `code` of a channel is its name; `value` is JSON.
create table alarms (
  record text not null check (record in ('alarm', 'mute', 'channel')),
  code text not null,
  subject text not null,
  value text not null,
  primary key (record, code, subject)
) strict, without rowid;
