import { setTimeout as wait } from 'node:timers/promises'
import { messageOf, SimulatorError } from '../errors.ts'
import { INSTITUTIONS } from '../institutions/fixtures.ts'
import { type Judged, sendCallback } from '../institutions/play.ts'
import { readBytes } from '../option-files.ts'
import type { Credentials } from '../webhooks/secure-contexts.ts'
import { withMembers } from './changed-members.ts'
import { newIds, TRIGGER_KINDS, type TriggerKind } from './fixtures.ts'
import type { CallbackStep, Step } from './steps.ts'

/** Where the callbacks of a kind go. */
export interface TriggerTarget {
  /** As it is registered: the institution may append something. */
  readonly url: URL
  /** As it may be printed: without a token. */
  readonly shownUrl: string
  /** PEM of authorities besides the public ones. */
  readonly receiverCa: string | null
  /** null: plain http. */
  readonly credentials: Credentials | null
}

export interface Triggered extends Judged {
  readonly kind: string
  readonly state: string | null
  readonly url: string
  readonly contentType: string
  readonly body: string
}

export interface RunOptions {
  readonly targetOf: (kind: string) => Promise<TriggerTarget>
  readonly timeoutMs: number
  readonly onSent: (sent: Triggered) => Promise<void>
  /** A text about a setting that may be a mistake. */
  readonly onNote: (text: string) => void
}

/** Sends the steps one after the other, each with the ids of those before it. @returns whether the institution would take every answer */
export async function runSteps(
  steps: readonly Step[],
  { targetOf, timeoutMs, onSent, onNote }: RunOptions,
): Promise<boolean> {
  let ids = newIds()
  let isGood = true
  for (const step of steps) {
    if ('waitMs' in step) {
      await wait(step.waitMs)
      continue
    }
    if (step.isNew) ids = newIds()
    const { body, contentType, suffix } = callbackOf(step, ids, onNote)
    const { url: registered, shownUrl, receiverCa, credentials } = await targetOf(step.kind)
    const url = withSuffix(registered, suffix)
    const sent = { url, credentials, receiverCa, headers: {}, body, contentType, allowPublicAddresses: true }
    const judged = await sendCallback(sent, expectedOf(step.kind), timeoutMs)
    isGood &&= judged.problems.length === 0
    const { kind, state } = step
    await onSent({
      kind,
      state,
      url: shownUrl + (url.pathname === registered.pathname ? '' : suffix),
      contentType,
      body: body.toString(),
      ...judged,
    })
  }
  return isGood
}

/** @throws SimulatorError `request_invalid` for a file or a setting that cannot be used */
function callbackOf(
  { kind, state, form, settings, file }: CallbackStep,
  ids: ReturnType<typeof newIds>,
  onNote: RunOptions['onNote'],
) {
  const { fixtureOf, states } = kindOf(kind)
  if (file !== null) return { body: bodyOfFile(file, settings, onNote), contentType: 'application/json', suffix: '' }
  const { body, suffix } = fixtureOf(state ?? (states[0] as string), ids, new Date())
  if (form === 'json')
    return { body: JSON.stringify(withMembers(body, settings, onNote)), contentType: 'application/json', suffix }
  const token = withMembers({ notification: ids.token }, settings, onNote) as Record<string, string>
  return { body: new URLSearchParams(token).toString(), contentType: 'application/x-www-form-urlencoded', suffix }
}

/** Its bytes as they are, unless members are set. */
function bodyOfFile(file: string, settings: readonly string[], onNote: RunOptions['onNote']): Buffer | string {
  const bytes = readBytes('--file', file)
  if (settings.length === 0) return bytes
  try {
    return JSON.stringify(withMembers(JSON.parse(bytes.toString()), settings, onNote))
  } catch (error) {
    if (error instanceof SimulatorError) throw error
    throw new SimulatorError('request_invalid', `--set changes JSON, and ${file} has none: ${messageOf(error)}`)
  }
}

function withSuffix(registered: URL, suffix: string): URL {
  const url = new URL(registered)
  if (suffix !== '' && !url.pathname.endsWith(suffix)) url.pathname = url.pathname.replace(/\/$/, '') + suffix
  return url
}

function expectedOf(kind: string) {
  const { expected } = INSTITUTIONS[kindOf(kind).preset] ?? {}
  if (expected === undefined) throw new TypeError(`unreachable: ${kind} has no institution`)
  return expected
}

function kindOf(name: string): TriggerKind {
  const kind = TRIGGER_KINDS[name]
  if (kind === undefined) throw new TypeError(`unreachable: there is no kind ${name}`)
  return kind
}
