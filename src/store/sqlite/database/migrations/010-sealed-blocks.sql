-- Fact hashes of complete blocks of 2^17 positions, for the deduplication. block: position >> 17. hashes: their number. latest: the latest receiving time.
-- filter: a Bloom filter of 14 bits a hash, 8 probes, as little-endian words of 32 bits. src/store/sqlite/deduplication/ writes and reads both tables.
create table sealed_blocks (
  block integer primary key,
  hashes integer not null,
  latest integer not null,
  filter blob not null
) strict;

-- id: block << 8 | the first 8 bits of the hash. entries: a little-endian word of 32 bits for each hash: its next 15 bits, then the last 17 bits of the position.
create table sealed_hashes (
  id integer primary key,
  entries blob not null
) strict;
