-- What an OpenID provider granted to people in sessions of the pages. `sid` is a hash, `sealed` is encrypted.
create table team_sessions (
  key text primary key references page_sessions (key) on delete cascade,
  sid text,
  sealed text not null,
  version integer not null default 1,
  asked_at timestamptz not null
);

-- Hashes of values that count once: of logout tokens and of sign-ins.
create table used_once (
  hash text primary key,
  until timestamptz not null
);
