import { digestOf, type EventProof, hashBehind, hexOf, payloadHashOf } from '../../../domain/event-hash.ts'
import { readPrevious } from '../audit/audit-points.ts'
import { hashedRows } from '../audit/audit-rows.ts'
import type { Connection } from '../database/connection.ts'
import { getEvent } from './event-queries.ts'

export function getProof(db: Connection, id: string): EventProof | null {
  return db.transaction(() => {
    const found = getEvent(db, id)
    if (found === null) return null
    const { event, hashes } = found
    const [row] = hashedRows(db, [event.position])
    if (row === undefined) return null
    const digest = digestOf(row.values)
    const { position, hash } = readPrevious(db, event.position)
    const isPayloadSound = event.payloadRemovedAt !== null || payloadHashOf(event.body) === hashes.payload
    const isSound = isPayloadSound && hexOf(hashBehind(hash, digest)) === hashes.event
    return { values: row.values, hashes, digest: hexOf(digest), previous: { position, hash: hexOf(hash) }, isSound }
  })()
}
