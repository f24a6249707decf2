/**
 * The blocks of 1,024 events that hold any from `:from` to `:to`: the index of subjects is looked into once for each. What retention has removed
 * takes no look. Those that are summed up stand in a few pages, the last ones from the events themselves.
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

/** Events `e` of a subject by its hash, and of a few others with the same hash. */
export const EVENTS_OF_BLOCKS = `
  blocks b cross join events e indexed by events_subject on e.id >> 10 = b.block and e.subject_hash = :subjectHash`
