import type { Environment } from '../interfaces.ts'
import type { CallOutcome, FinishedCall, ReceiverCall } from '../webhooks/receiver-call.ts'
import type { Credentials } from '../webhooks/secure-contexts.ts'
import type { CallbackKind, Marked } from './facts.ts'
import type { Fix } from './fixes/fix.ts'
import type { ReceiverCertificate } from './receiver-certificate.ts'
import type { Rule } from './sources.ts'
import type { StoredRecords } from './stored-records.ts'
import type { Text } from './text.ts'
import type { WrongCaller } from './wrong-callers.ts'

export type Verdict = 'pass' | 'fail' | 'warn' | 'skip'

export interface Judgement {
  readonly verdict: Verdict
  readonly reason: Text
}

export interface Scenario {
  /** Stable: programs compare it. simulator/docs/conformance.md lists it. */
  readonly id: string
  readonly title: Text
  /** Of no preset, or of one that has no rule of its own (preset-rules.ts). */
  readonly why: Rule
  readonly fix: Fix
  /**
   * - `first`: alone before all others, because it decides whether they make sense
   * - `disturbing`: alone, behind all that run side by side
   * - `last`: judges what the others have seen
   */
  readonly order?: 'first' | 'disturbing' | 'last'
  /** It says something about a receiver that answers no callback, too. */
  readonly needsNoAnswer?: true
  run(bench: Bench): Promise<Judgement>
}

export interface Sending {
  /** Left out: that of callbacks. */
  readonly url?: URL
  /** Left out: the right certificate; null: none. */
  readonly credentials?: Credentials | null
  /** Left out: a new fact of the kind. */
  readonly content?: Marked
  /** '': none. */
  readonly contentType?: string
  readonly tls?: TlsChoice
  readonly call?: Partial<ReceiverCall>
  /** The service sends it again because it lost the answer: it is no new fact. */
  readonly isRepeated?: true
  /** How many facts these bytes are by then; left out: one. */
  readonly times?: number
}

export interface TlsChoice {
  readonly version?: TlsVersion
  readonly session?: Buffer
}

export type TlsVersion = 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'

/** What scenarios need: the receiver, the callers, and what was stored. */
export interface Bench {
  /** As it is registered. */
  readonly registered: URL
  /** The URL that callbacks go to. */
  readonly url: URL
  readonly preset: string | null
  readonly kindName: string
  readonly kind: CallbackKind
  /** null: not named. */
  readonly environment: Environment | null
  readonly address: string
  /** Every address of this receiver that was named. */
  readonly addresses: readonly URL[]
  readonly stored: StoredRecords
  readonly timeoutMs: number
  send(sending?: Sending): Promise<FinishedCall>
  wrongCaller(kind: WrongCaller): Promise<Credentials>
  /** Of the receiver; null: no handshake got that far. @param withName whether the caller sends the name (SNI) */
  certificate(withName: boolean): Promise<ReceiverCertificate | null>
  /** How long the answers to ordinary callbacks took, in ms. */
  readonly answerTimes: readonly number[]
  /** Scenarios in which an ordinary callback got no answer within the time limit. */
  readonly unanswered: ReadonlySet<string>
}

export function pass(reason: Text): Judgement {
  return { verdict: 'pass', reason }
}

export function fail(reason: Text): Judgement {
  return { verdict: 'fail', reason }
}

export function warn(reason: Text): Judgement {
  return { verdict: 'warn', reason }
}

export function skip(reason: Text): Judgement {
  return { verdict: 'skip', reason }
}

/** The status of an answer; null: there was none. */
export function statusOf(outcome: CallOutcome): number | null {
  return outcome.kind === 'answered' ? outcome.status : null
}
