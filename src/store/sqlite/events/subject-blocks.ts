/**
 * The blocks of 1,024 events between `:from` and `:to` that are not empty: the index of subjects is searched once per block, and ranges that retention
 * has removed cost nothing. Summarized blocks come from a few pages, the others from the events themselves.
 */
export const SUBJECT_BLOCKS = `
  with recursive
    summed (block) as (select block from event_blocks where block between :from >> 10 and :to >> 10),
    others (block) as (
      select (
        select min(id) from events
        where id between max(:from, (select coalesce(max(block) + 1, 0) << 10 from event_blocks)) and :to) >> 10
      union all
      select (select min(id) from events where id between (block + 1) << 10 and :to) >> 10 from others where block is not null),
    blocks (block) as (select block from summed union all select block from others)`

/** Events `e` with the hash of a subject: possibly also of a few other subjects with that hash. */
export const EVENTS_OF_BLOCKS = `
  blocks b cross join events e indexed by events_subject on e.id >> 10 = b.block and e.subject_hash = :subjectHash`
