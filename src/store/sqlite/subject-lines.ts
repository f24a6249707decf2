import type { Connection } from './connection.ts'

/**
 * The lines of ordered subjects: the deliveries of one subject to one destination, in which only the head may be claimed and the others are
 * `blocked`. A line that is not empty always has a head: pending, or exhausted and holding.
 */
export interface SubjectLines {
  /** Whether somebody stands in the line already. */
  isTaken(destinationId: number, orderKey: number): boolean
  /** Whether somebody else is the head. */
  hasOtherHead(destinationId: number, orderKey: number, deliveryId: number): boolean
  /**
   * The delivery has ended: it leaves its line. Where it was the head, the next one becomes claimable, due since it came: what waited for long
   * stays in the backlog.
   */
  leave(delivery: { id: number; destinationId: number; orderKey: number; isHead: boolean }, now: number): void
}

export function createSubjectLines(db: Connection): SubjectLines {
  const taken = db.prepare<[number, number]>(
    'select 1 from deliveries indexed by deliveries_line where destination_id = ? and order_key = ? limit 1',
  )
  const otherHead = db.prepare<[number, number, number]>(`
    select 1 from deliveries indexed by deliveries_line where destination_id = ? and order_key = ? and id <> ? and state <> 'blocked' limit 1`)
  const leave = db.prepare('update deliveries set order_key = null where id = ?')
  const release = db.prepare(`
    update deliveries set state = 'pending', next_attempt_at = min(:now, coalesce(replayed_at, created_at))
    where state = 'blocked' and id = (
      select min(id) from deliveries indexed by deliveries_line where destination_id = :destinationId and order_key = :orderKey)`)
  return {
    isTaken: (destinationId, orderKey) => taken.get(destinationId, orderKey) !== undefined,
    hasOtherHead: (destinationId, orderKey, deliveryId) =>
      otherHead.get(destinationId, orderKey, deliveryId) !== undefined,
    leave({ id, destinationId, orderKey, isHead }, now) {
      leave.run(id)
      if (isHead) release.run({ destinationId, orderKey, now })
    },
  }
}
