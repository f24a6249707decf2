import type { TLSSocket } from 'node:tls'
import type { Environment } from '../interfaces.ts'
import { callReceiver, type FinishedCall } from '../webhooks/receiver-call.ts'
import { type Credentials, secureContextFor } from '../webhooks/secure-contexts.ts'
import { isSuccess } from '../webhooks/two-requests.ts'
import { type CallbackKind, oneFact } from './facts.ts'
import type { Laboratory } from './laboratory.ts'
import { certificateOf, type ReceiverCertificate } from './receiver-certificate.ts'
import type { Bench, Sending } from './scenario.ts'
import { newStoredRecords, type StoreView } from './stored-records.ts'
import { MAKE_WRONG, type WrongCaller } from './wrong-callers.ts'

const MOST_CALLS = 8

export interface BenchOptions {
  readonly registered: URL
  /** By URL, the IP addresses that accepted a connection: of the registered URL, and of others that were named. */
  readonly reached: ReadonlyMap<URL, string>
  /** Charge notifications show no certificate. */
  readonly isCharges: boolean
  readonly preset: string | null
  readonly kindName: string
  readonly kind: CallbackKind
  readonly environment: Environment | null
  readonly laboratory: Laboratory
  /** PEM, beside the public ones; null: those alone. */
  readonly authorities: string | null
  readonly view: StoreView | null
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called for each answer that came whole. */
  readonly onAnswer: () => void
}

/** @returns the bench of each scenario, by its id: all of them share what was stored and what was answered */
export function createBenches(options: BenchOptions): (scenario: string) => Bench {
  const { registered, reached, laboratory, timeoutMs, signal, kind } = options
  const address = reached.get(registered) as string
  const environment = options.environment ?? 'production'
  const right = options.isCharges ? null : laboratory.environments[environment].credentials
  const inTurn = limitCalls(MOST_CALLS)
  const stored = newStoredRecords(options.view)
  const answerTimes: number[] = []
  /** By scenario. Only `send` adds to it. */
  const unanswered = new Set<string>()
  const wrong = new Map<WrongCaller, Promise<Credentials>>()
  const certificates = new Map<boolean, Promise<ReceiverCertificate | null>>()
  const url = kind.suffix === '' ? registered : new URL(`${registered.href.replace(/\/$/, '')}${kind.suffix}`)

  function callFor({ url: other = url, credentials = right, tls = {}, contentType = 'application/json' }: Sending) {
    return {
      url: other,
      credentials,
      contentType,
      address: reached.get(other) ?? address,
      timeoutMs,
      receiverCa: null,
      allowPublicAddresses: true,
      unverified: {
        // The authorities only decide what the scenarios of the receiver's own certificate read.
        secureContext: secureContextFor({ credentials, receiverCa: options.authorities, tlsVersion: tls.version }),
        session: tls.session,
      },
    }
  }

  async function send(scenario: string, sending: Sending): Promise<FinishedCall> {
    const { content = oneFact(kind), credentials = right, call = {} } = sending
    const isRight = credentials === right
    let missing: Promise<readonly string[]> | undefined
    const finished = await inTurn(() =>
      callReceiver(
        {
          ...callFor(sending),
          body: content.body,
          headers: kind.fixture.headers === undefined ? {} : headersOf(kind.fixture.headers),
          ...call,
          onAnswer(status) {
            if (status >= 200 && status < 300) missing = stored.missing(content.markers)
          },
        },
        signal,
      ),
    )
    if (finished.outcome.kind === 'answered' && call.isStatusEnough !== true) options.onAnswer()
    if (isRight && finished.outcome.kind === 'timeout' && call.isTooLate !== true) unanswered.add(scenario)
    if (!isRight) for (const marker of content.markers) stored.refused.set(marker, scenario)
    else if (isSuccess(finished.outcome)) {
      answerTimes.push(answerTimeOf(finished))
      const { times = 1, isRepeated = false } = sending
      stored.accepted.push({ scenario, markers: content.markers, times, isRepeated, late: (await missing) ?? [] })
    }
    return finished
  }

  function wrongCaller(name: WrongCaller): Promise<Credentials> {
    const made = wrong.get(name) ?? MAKE_WRONG[name](laboratory, environment, new Date())
    wrong.set(name, made)
    return made
  }

  function certificate(withName: boolean): Promise<ReceiverCertificate | null> {
    const known = certificates.get(withName) ?? lookAt(withName)
    certificates.set(withName, known)
    return known
  }

  async function lookAt(withName: boolean): Promise<ReceiverCertificate | null> {
    let shown: ReceiverCertificate | null = null
    const onSecured = (socket: TLSSocket) => {
      shown = certificateOf(socket)
    }
    const call = { ...callFor({}), body: '', cut: 'before_request' as const, onSecured, withoutServerName: !withName }
    await inTurn(() => callReceiver(call, signal))
    return shown
  }

  return (scenario) => ({
    registered,
    url,
    preset: options.preset,
    kindName: options.kindName,
    kind,
    environment: options.environment,
    address,
    addresses: [...reached.keys()],
    stored,
    timeoutMs,
    answerTimes,
    unanswered,
    send: (sending = {}) => send(scenario, sending),
    wrongCaller,
    certificate,
  })
}

/** Lets so many calls be under way, however many requests the scenarios at work make. */
function limitCalls(most: number) {
  const waiting: (() => void)[] = []
  let free = most
  return async function inTurn<T>(call: () => Promise<T>): Promise<T> {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await call()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

/** From the last byte of the request to the first one of the answer, in ms. */
function answerTimeOf({ timing: { sent, answered }, durationMs }: FinishedCall): number {
  return sent === null || answered === null ? durationMs : Math.max(0, answered - sent)
}

function headersOf(written: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => [name, value.replace('{uuid}', crypto.randomUUID())]),
  )
}
