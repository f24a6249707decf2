/**
 * For a read that names the rows it wants. Without statistics PostgreSQL would read the whole table, or walk an index in the order of the answer until
 * enough rows are found.
 */
export const BY_INDEX =
  'set local enable_seqscan = off; set local enable_indexscan = off; set local max_parallel_workers_per_gather = 0'
