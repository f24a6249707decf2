/**
 * For a read that names the rows it wants. Without statistics PostgreSQL would read the whole table, or walk an index in the order of the answer until
 * enough rows are found.
 */
export const BY_INDEX =
  'set local enable_seqscan = off; set local enable_indexscan = off; set local max_parallel_workers_per_gather = 0'

/** For a read of the first rows in the order of an index: for few rows in each of its parts PostgreSQL would read and sort all of a part. */
export const IN_ORDER = 'set local enable_sort = off; set local enable_bitmapscan = off'
