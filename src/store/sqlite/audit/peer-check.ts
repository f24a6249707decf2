import type { Peer } from '../../../domain/event.ts'
import { peerFault } from '../../verification/peer-check.ts'
import type { Connection } from '../database/connection.ts'

/** Reports peers whose columns differ from their certificate. */
export function alteredPeers(db: Connection): string[] {
  const peers = db.prepare<[], Peer>(
    'select fingerprint, serial, subject, issuer, not_after as notAfter, pem from peers order by id',
  )
  const texts: string[] = []
  for (const peer of peers.iterate()) texts.push(...[peerFault(peer)].filter((text) => text !== null))
  return texts
}
