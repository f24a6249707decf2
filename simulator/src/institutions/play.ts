import { randomUUID } from 'node:crypto'
import { type CallOutcome, callReceiver } from '../webhooks/receiver-call.ts'
import type { Credentials } from '../webhooks/secure-contexts.ts'
import type { Expected, Fixture, Institution } from './fixtures.ts'

export interface Played {
  readonly fixture: string
  readonly path: string
  /** null: there was no answer. */
  readonly status: number | null
  readonly durationMs: number
  /** Why the institution would not take the answer; empty: it is as it wants it. */
  readonly problems: readonly string[]
}

export interface PlayOptions {
  /** The registered address. */
  readonly url: URL
  readonly credentials: Credentials
  /** PEM of authorities besides the public ones. */
  readonly receiverCa: string | null
}

const TIMEOUT_MS = 60_000

/** Sends each fixture of an institution once, and compares the answer with what the institution wants. */
export async function play({ fixtures, expected }: Institution, options: PlayOptions): Promise<Played[]> {
  const played: Played[] = []
  for (const [name, fixture] of Object.entries(fixtures))
    played.push(await playOne(name, fixture, { ...options, expected }))
  return played
}

async function playOne(
  fixture: string,
  { path, headers: written = {}, body }: Fixture,
  { url: registered, expected, ...options }: PlayOptions & { readonly expected: Expected },
): Promise<Played> {
  const url = new URL(`${registered.pathname.replace(/\/$/, '')}${path}`, registered)
  const headers = Object.fromEntries(
    Object.entries(written).map(([name, value]) => [name, value.replace('{uuid}', randomUUID())]),
  )
  const sent = {
    url,
    headers,
    body: JSON.stringify(body),
    contentType: 'application/json',
    allowPublicAddresses: false,
  }
  return { fixture, path: url.pathname, ...(await sendCallback({ ...sent, ...options }, expected)) }
}

export interface SentCallback extends Omit<PlayOptions, 'credentials'> {
  /** null: the call shows no certificate. */
  readonly credentials: Credentials | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  readonly contentType: string
  readonly allowPublicAddresses: boolean
}

export type Judged = Pick<Played, 'status' | 'durationMs' | 'problems'>

/** Sends one callback to this very URL, and compares the answer with what the institution wants. */
export async function sendCallback(sent: SentCallback, expected: Expected, timeoutMs = TIMEOUT_MS): Promise<Judged> {
  const { outcome, durationMs } = await callReceiver({ ...sent, timeoutMs }, new AbortController().signal)
  return {
    status: outcome.kind === 'answered' ? outcome.status : null,
    durationMs,
    problems: problemsOf({ outcome, durationMs }, expected, sent.headers),
  }
}

function problemsOf(
  { outcome, durationMs }: { readonly outcome: CallOutcome; readonly durationMs: number },
  { statuses, withinMs = TIMEOUT_MS, echoes = [] }: Expected,
  sent: Readonly<Record<string, string>>,
): string[] {
  if (outcome.kind !== 'answered') return ['reason' in outcome ? `${outcome.kind}: ${outcome.reason}` : outcome.kind]
  const { status, headers } = outcome
  return [
    ...(statuses.includes(status) ? [] : [`the status is ${status}, not ${statuses.join(' or ')}`]),
    ...(durationMs <= withinMs ? [] : [`the answer took ${durationMs} ms, more than ${withinMs} ms`]),
    ...echoes.filter((name) => headers[name] !== sent[name]).map((name) => `the answer does not repeat ${name}`),
  ]
}
