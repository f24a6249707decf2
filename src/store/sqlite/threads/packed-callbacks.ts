import type { Fact, Interpretation, NewCallback } from '../../../domain/event.ts'
import { hexOf } from '../../../domain/event-hash.ts'
import { createKeptValues, createValueNumbers, type NewValues } from './numbered-values.ts'

/** Fields that are the same for most callbacks of a caller. */
type Origin = Omit<NewCallback, 'receivedAt' | 'headers' | 'body' | keyof Interpretation>

/** As in Interpretation; hashes in lower-case hexadecimal. */
type PackedFacts = Omit<Interpretation, 'facts'> & {
  readonly facts: readonly (Omit<Fact, 'hash'> & { readonly hash: string | null })[]
}

interface Packed {
  readonly origins: NewValues<Origin>
  readonly headers: NewValues<string>
  /** For each callback: the numbers of its origin and of its headers, its time of receipt, and the length of its body. */
  readonly numbers: readonly number[]
  /** For each callback. */
  readonly facts: readonly PackedFacts[]
}

/** Packs the callbacks of a batch, without their bodies, into a text for `createCallbackUnpacker`, which must get every text, in order. */
export function createCallbackPacker(): (callbacks: readonly NewCallback[]) => string {
  const origins = createValueNumbers<Origin>()
  const headers = createValueNumbers<string>()

  return function packCallbacks(callbacks) {
    origins.begin()
    headers.begin()
    const numbers: number[] = []
    for (const callback of callbacks) {
      const origin = origins.numberOf(keyOf(callback), () => originOf(callback))
      const header = headers.numberOf(callback.headers, () => callback.headers)
      numbers.push(origin, header, callback.receivedAt, callback.body.length)
    }
    const facts = callbacks.map(packFacts)
    return JSON.stringify({ origins: origins.added(), headers: headers.added(), numbers, facts } satisfies Packed)
  }
}

/** @returns a function that unpacks a batch. Its parameter `take` returns the next body. */
export function createCallbackUnpacker(): (text: string, take: (length: number) => Uint8Array) => NewCallback[] {
  const origins = createKeptValues<Origin>()
  const headers = createKeptValues<string>()

  return function unpackCallbacks(text, take) {
    const packed = JSON.parse(text) as Packed
    origins.keep(packed.origins)
    headers.keep(packed.headers)
    const numbers = packed.numbers.values()
    const next = () => numbers.next().value as number
    return packed.facts.map((facts) => ({
      ...origins.get(next()),
      headers: headers.get(next()),
      receivedAt: next(),
      body: take(next()),
      ...unpackFacts(facts),
    }))
  }
}

const NONE = '\r'

/** Equal for equal origins. No field contains a line break. */
function keyOf(callback: NewCallback): string {
  const { remoteAddress, target, kind, environment, listener, authentication } = callback
  const { contentType, tlsVersion, cipher, peer } = callback
  return `${remoteAddress}\n${target}\n${kind}\n${environment}\n${listener}\n${authentication}\n${contentType ?? NONE}\n${
    tlsVersion ?? NONE
  }\n${cipher ?? NONE}\n${peer?.fingerprint ?? NONE}`
}

function originOf(callback: NewCallback): Origin {
  const { kind, environment, listener, authentication, peer, remoteAddress } = callback
  const { tlsVersion, cipher, target, contentType } = callback
  return {
    ...{ kind, environment, listener, authentication, peer, remoteAddress },
    ...{ tlsVersion, cipher, target, contentType },
  }
}

function packFacts({ facts, mark, notificationToken }: NewCallback): PackedFacts {
  return {
    facts: facts.map((fact) => ({ ...fact, hash: fact.hash === null ? null : hexOf(fact.hash) })),
    mark,
    ...(notificationToken !== undefined && { notificationToken }),
  }
}

function unpackFacts({ facts, ...read }: PackedFacts): Interpretation {
  return {
    ...read,
    facts: facts.map((fact) => ({ ...fact, hash: fact.hash === null ? null : Buffer.from(fact.hash, 'hex') })),
  }
}
