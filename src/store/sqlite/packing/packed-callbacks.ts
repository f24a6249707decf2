import type { Fact, Interpretation, NewCallback, ReceivedCallback } from '../../../domain/event.ts'
import { hexOf } from '../../../domain/event-hash.ts'
import { createKeptValues, createValueNumbers, type NewValues } from './numbered-values.ts'

/** Fields that are the same for most callbacks of a caller. */
type CallerFields = Omit<ReceivedCallback, 'receivedAt' | 'headers' | 'body'>

/** As in Interpretation; hashes in lower-case hexadecimal. */
type PackedFacts = Omit<Interpretation, 'facts'> & {
  readonly facts: readonly (Omit<Fact, 'hash'> & { readonly hash: string | null })[]
}

/** Of each callback: the numbers of its caller and of its headers, its time of receipt, and the length of its body. */
const NUMBERS = 4

interface Packed {
  readonly callers: NewValues<CallerFields>
  readonly headers: NewValues<string>
  /** NUMBERS of each callback, one callback after the other. */
  readonly numbers: readonly number[]
  /** The facts of callbacks that have them already, by the place of the callback. */
  readonly facts: Readonly<Record<number, PackedFacts>>
}

/** Packs the callbacks of a batch, without their bodies, into a text for `createCallbackUnpacker`, which must get every text, in order. */
export function createCallbackPacker(): (callbacks: readonly (ReceivedCallback | NewCallback)[]) => string {
  const callers = createValueNumbers<CallerFields>()
  const headers = createValueNumbers<string>()
  /** Of the callback before, in the same message. */
  let last: { readonly callback: ReceivedCallback; readonly caller: number } | null = null

  function numberOfCaller(callback: ReceivedCallback): number {
    if (last !== null && isSameCaller(callback, last.callback)) return last.caller
    const caller = callers.numberOf(keyOf(callback), () => callerFieldsOf(callback))
    last = { callback, caller }
    return caller
  }

  return function packCallbacks(callbacks) {
    callers.begin()
    headers.begin()
    last = null
    const numbers: number[] = []
    const facts: Record<number, PackedFacts> = {}
    callbacks.forEach((callback, place) => {
      const caller = numberOfCaller(callback)
      const header = headers.numberOf(callback.headers, () => callback.headers)
      numbers.push(caller, header, callback.receivedAt, callback.body.length)
      if ('facts' in callback) facts[place] = packFacts(callback)
    })
    return JSON.stringify({ callers: callers.added(), headers: headers.added(), numbers, facts } satisfies Packed)
  }
}

/** @returns a function that unpacks a batch. Its parameter `take` returns the next body. */
export function createCallbackUnpacker(): (
  text: string,
  take: (length: number) => Uint8Array,
) => (ReceivedCallback | NewCallback)[] {
  const callers = createKeptValues<CallerFields>()
  const headers = createKeptValues<string>()

  return function unpackCallbacks(text, take) {
    const packed = JSON.parse(text) as Packed
    callers.keep(packed.callers)
    headers.keep(packed.headers)
    const { numbers } = packed
    let at = 0
    const next = () => numbers[at++] as number
    return Array.from({ length: numbers.length / NUMBERS }, (_, place) => {
      const [caller, header, receivedAt, length] = [next(), next(), next(), next()]
      const received = { ...callers.get(caller), headers: headers.get(header), receivedAt, body: take(length) }
      const facts = packed.facts[place]
      return facts === undefined ? received : { ...received, ...unpackFacts(facts) }
    })
  }
}

const NONE = '\r'

/** Equal for equal callers. No field contains a line break. */
function keyOf(callback: ReceivedCallback): string {
  const { remoteAddress, target, kind, environment, listener, authentication } = callback
  const { contentType, tlsVersion, cipher, peer, resolvesTokens } = callback
  return `${remoteAddress}\n${target}\n${kind}\n${environment}\n${listener}\n${authentication}\n${contentType ?? NONE}\n${
    tlsVersion ?? NONE
  }\n${cipher ?? NONE}\n${peer?.fingerprint ?? NONE}\n${resolvesTokens}`
}

/** Cheaper than their keys. */
function isSameCaller(one: ReceivedCallback, other: ReceivedCallback): boolean {
  return (
    one.remoteAddress === other.remoteAddress &&
    one.peer?.fingerprint === other.peer?.fingerprint &&
    one.target === other.target &&
    one.kind === other.kind &&
    one.environment === other.environment &&
    one.listener === other.listener &&
    one.authentication === other.authentication &&
    one.contentType === other.contentType &&
    one.tlsVersion === other.tlsVersion &&
    one.cipher === other.cipher &&
    one.resolvesTokens === other.resolvesTokens
  )
}

function callerFieldsOf(callback: ReceivedCallback): CallerFields {
  const { kind, environment, listener, authentication, peer, remoteAddress } = callback
  const { tlsVersion, cipher, target, contentType, resolvesTokens } = callback
  return {
    kind,
    environment,
    listener,
    authentication,
    peer,
    remoteAddress,
    tlsVersion,
    cipher,
    target,
    contentType,
    ...(resolvesTokens !== undefined && { resolvesTokens }),
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
