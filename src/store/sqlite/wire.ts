import type { Claim } from '../../domain/delivery.ts'
import type { NewCallback, Peer } from '../../domain/event.ts'
import type { Operation } from './writer.ts'

/**
 * How operations and claims cross to the writer thread and back. All bodies and hashes of a message are in one buffer that is transferred, not
 * copied (a structured clone of a small Buffer would copy the whole pool behind it). What else a callback consists of is texts and numbers,
 * and one JSON text of a whole batch is cheaper on both sides than a structured clone of its objects.
 */
export interface PackedOperations {
  /** null stands for the next callback. */
  readonly operations: readonly (Exclude<Operation, { method: 'storeCallback' }> | null)[]
  readonly callbacks: string
  /** Of all its callbacks, each once: there are few, and their PEM texts are longer than the rest. */
  readonly peers: readonly Peer[]
  readonly bytes: ArrayBuffer
}

/** In place of a callback's bytes and peer. */
interface Stead {
  readonly bodyLength: number
  readonly hashLengths: readonly number[]
  /** Among the peers of the message; null: it has none. */
  readonly peerIndex: number | null
}

type WiredCallback = Omit<NewCallback, 'body' | 'peer'> & Stead

type Bytes = Uint8Array

export function packOperations(operations: readonly Operation[]): PackedOperations {
  const chunks: Bytes[] = []
  const callbacks: WiredCallback[] = []
  const peers = new Map<Peer, number>()
  function indexOf(peer: Peer): number {
    const index = peers.get(peer) ?? peers.size
    peers.set(peer, index)
    return index
  }
  const others = operations.map((operation) => {
    if (operation.method !== 'storeCallback') return operation
    const { body, facts, peer, ...rest } = operation.callback
    const hashes = facts.map(({ hash }) => hash ?? NOTHING)
    chunks.push(body, ...hashes)
    callbacks.push({
      ...rest,
      facts: facts.map((fact) => ({ ...fact, hash: null })),
      bodyLength: body.length,
      hashLengths: hashes.map(({ length }) => length),
      peerIndex: peer === null ? null : indexOf(peer),
    })
    return null
  })
  return {
    operations: others,
    callbacks: JSON.stringify(callbacks),
    peers: [...peers.keys()],
    bytes: concatenate(chunks),
  }
}

export function unpackOperations(packed: PackedOperations): Operation[] {
  const take = reader(packed.bytes)
  const callbacks = (JSON.parse(packed.callbacks) as WiredCallback[]).values()
  return packed.operations.map((operation) => {
    if (operation !== null) return operation
    const { bodyLength, hashLengths, peerIndex, ...callback } = callbacks.next().value as WiredCallback
    const peer = peerIndex === null ? null : (packed.peers[peerIndex] as Peer)
    const body = take(bodyLength)
    const facts = callback.facts.map((fact, index) => {
      const hash = take(hashLengths[index] as number)
      return { ...fact, hash: hash.length === 0 ? null : hash }
    })
    return { method: 'storeCallback', callback: { ...callback, peer, body, facts } }
  })
}

export interface PackedClaim {
  readonly claim: Claim
  readonly lengths: readonly number[]
  readonly bytes: ArrayBuffer
}

export function packClaim(claim: Claim): PackedClaim {
  const bodies = claim.deliveries.map(({ body }) => body)
  return {
    claim: { ...claim, deliveries: claim.deliveries.map((d) => ({ ...d, body: NOTHING })) },
    lengths: bodies.map(({ length }) => length),
    bytes: concatenate(bodies),
  }
}

export function unpackClaim({ claim, lengths, bytes }: PackedClaim): Claim {
  const take = reader(bytes)
  return { ...claim, deliveries: claim.deliveries.map((d, index) => ({ ...d, body: take(lengths[index] as number) })) }
}

const NOTHING = new Uint8Array()

function concatenate(chunks: readonly Bytes[]): ArrayBuffer {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes.buffer
}

function reader(bytes: ArrayBuffer): (length: number) => Buffer {
  let offset = 0
  return function take(length) {
    const chunk = Buffer.from(bytes, offset, length)
    offset += length
    return chunk
  }
}
