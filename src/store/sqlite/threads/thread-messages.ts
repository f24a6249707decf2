import type { Claim } from '../../../domain/delivery.ts'
import type { NewCallback, ReceivedCallback } from '../../../domain/event.ts'
import type { TokenEntry, TokenOutcome } from '../../../domain/service/notification-token.ts'
import { messageOf, PortariaError, type Violation } from '../../../platform/errors.ts'
import type { CallbackReader } from '../../storing/callback-reader.ts'
import { adviceForError } from '../database/connection.ts'
import { createCallbackPacker, createCallbackUnpacker } from '../packing/packed-callbacks.ts'
import { packClaim, packOutcomes, unpackClaim, unpackOutcomes } from '../packing/packed-deliveries.ts'
import type { SqliteCall, SqliteWriteCall } from './sqlite-calls.ts'

/**
 * The form of a batch on its way to the writer thread. All bodies and response bodies are in one buffer, which is transferred, not copied (a structured
 * clone of a small Buffer copies the whole pool behind it). The other fields of callbacks, claims and outcomes are strings and numbers: one JSON text
 * per batch costs both threads less than a structured clone of its objects.
 */
export interface PackedOperations {
  /** null: the next one in `callbacks`. */
  readonly operations: readonly (
    | Exclude<SqliteCall, { method: 'storeCallback' | 'recordAttempts' | 'settleToken' }>
    | { readonly method: 'recordAttempts'; readonly outcomes: string }
    | { readonly method: 'settleToken'; readonly outcome: string }
    | null
  )[]
  /** As createCallbackPacker packs them. */
  readonly callbacks: string
  readonly bytes: ArrayBuffer
}

/** `body` is its length. */
type PackedEntry = Omit<TokenEntry, 'body'> & { readonly body: number }
type PackedToken = Omit<TokenOutcome, 'entries'> & { readonly entries: readonly PackedEntry[] }

type Bytes = Uint8Array

/** @returns a function that packs batches for `createUnpacker`, which must get all of them, in order */
export function createPacker(): (operations: readonly SqliteCall[]) => PackedOperations {
  const packCallbacks = createCallbackPacker()

  return function packOperations(operations) {
    const bodies: Bytes[] = []
    const chunks: Bytes[] = []
    const callbacks: (ReceivedCallback | NewCallback)[] = []
    const others = operations.map((operation) => {
      if (operation.method === 'recordAttempts')
        return { method: operation.method, outcomes: packOutcomes(operation.args[0], chunks) }
      if (operation.method === 'settleToken')
        return { method: operation.method, outcome: packToken(operation.args[0], chunks) }
      if (operation.method !== 'storeCallback') return operation
      const [callback] = operation.args
      bodies.push(callback.body)
      callbacks.push(callback)
      return null
    })
    return { operations: others, callbacks: packCallbacks(callbacks), bytes: concatenate([...bodies, ...chunks]) }
  }
}

function packToken({ entries, ...outcome }: TokenOutcome, chunks: Bytes[]): string {
  for (const { body } of entries) chunks.push(body)
  const packed: PackedToken = { ...outcome, entries: entries.map((entry) => ({ ...entry, body: entry.body.length })) }
  return JSON.stringify(packed)
}

function unpackToken(outcome: string, take: (length: number) => Bytes): TokenOutcome {
  const { entries, ...rest } = JSON.parse(outcome) as PackedToken
  return { ...rest, entries: entries.map((entry) => ({ ...entry, body: take(entry.body) })) }
}

export function createUnpacker(readCallback: CallbackReader): (packed: PackedOperations) => SqliteWriteCall[] {
  const unpackCallbacks = createCallbackUnpacker()

  return function unpackOperations(packed) {
    const take = readerOf(packed.bytes)
    const callbacks = unpackCallbacks(packed.callbacks, take).values()
    return packed.operations.map((operation) => {
      if (operation === null)
        return { method: 'storeCallback', args: [readCallback(callbacks.next().value as ReceivedCallback)] }
      if (operation.method === 'recordAttempts')
        return { method: operation.method, args: [unpackOutcomes(operation.outcomes, take)] }
      if (operation.method === 'settleToken')
        return { method: operation.method, args: [unpackToken(operation.outcome, take)] }
      return operation
    })
  }
}

export interface ClaimMessage {
  /** As packClaim packs it. */
  readonly claim: string
  readonly bytes: ArrayBuffer
}

export function claimMessage(claim: Claim): ClaimMessage {
  return { claim: packClaim(claim), bytes: concatenate(claim.deliveries.map(({ body }) => body)) }
}

export function claimOf({ claim, bytes }: ClaimMessage): Claim {
  return unpackClaim(claim, readerOf(bytes))
}

function concatenate(chunks: readonly Bytes[]): ArrayBuffer {
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes.buffer
}

function readerOf(bytes: ArrayBuffer): (length: number) => Buffer {
  let offset = 0
  return function take(length) {
    const chunk = Buffer.from(bytes, offset, length)
    offset += length
    return chunk
  }
}

/** The form of an error between threads: a structured clone keeps only its message. */
export interface ThreadError {
  readonly code: PortariaError['code']
  readonly message: string
  readonly details: readonly string[]
  readonly violations: readonly Violation[]
}

/** An error that is no PortariaError comes from SQLite or the disk: `store_unavailable`. */
export function threadError(error: unknown): ThreadError {
  if (error instanceof PortariaError) {
    const { code, message, details, violations } = error
    return { code, message, details, violations }
  }
  const message = `the database cannot be used: ${messageOf(error)}${adviceForError(error)}`
  return { code: 'store_unavailable', message, details: [], violations: [] }
}

export function errorOfThread({ code, message, details, violations }: ThreadError): PortariaError {
  return new PortariaError(code, message, { details, violations })
}
