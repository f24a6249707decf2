import type { Peer } from '../../domain/event.ts'
import type { Realm } from '../../domain/realm.ts'

/** Peer certificates of callers, once per fingerprint, with the hour of the latest call. */
export interface Peers {
  /** Inside the transaction. */
  idOf(peer: Peer, environment: Realm, seenAt: number): number
  committed(): void
  rolledBack(): void
}

export interface KnownPeer {
  readonly id: number
  readonly seenAt: number
  readonly environment: Realm
}

/** Inside the transaction. */
export interface PeerRows {
  find(fingerprint: string): KnownPeer | null
  insert(peer: Peer, environment: Realm, seenAt: number): number
  see(peer: KnownPeer): void
}

/** A caller's row is updated once an hour, not with every call. */
const SEEN_STEP_MS = 3_600_000

export function createPeers(rows: PeerRows): Peers {
  const known = new Map<string, KnownPeer>()
  /** Written in this transaction; a rollback forgets them. */
  const touched: string[] = []

  return {
    idOf(peer, environment, seenAt) {
      const found = known.get(peer.fingerprint) ?? rows.find(peer.fingerprint)
      if (found !== null && found.environment === environment && seenAt - found.seenAt < SEEN_STEP_MS) {
        known.set(peer.fingerprint, found)
        return found.id
      }
      const id = found?.id ?? rows.insert(peer, environment, seenAt)
      if (found !== null) rows.see({ id, environment, seenAt })
      known.set(peer.fingerprint, { id, seenAt, environment })
      touched.push(peer.fingerprint)
      return id
    },

    committed() {
      touched.length = 0
    },

    rolledBack() {
      for (const fingerprint of touched.splice(0)) known.delete(fingerprint)
    },
  }
}
