import { randomUUID, X509Certificate } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Collection, Records } from '../records.ts'
import type { Settings } from '../settings.ts'
import type { Tasks } from '../tasks.ts'
import type { Attempt, Callback, NewCallback, SentRequest, Webhook, WebhookInterface } from './callback.ts'
import type { CallbackFaults, Outlet } from './callback-faults.ts'
import { type CallOutcome, callReceiver, type ReceiverCall } from './receiver-call.ts'
import { retryDelayMs } from './retries.ts'
import type { Credentials } from './secure-contexts.ts'
import { createSlots } from './slots.ts'
import { type AddressVerdict, isSuccess, judgeAddress } from './two-requests.ts'

export interface WebhooksOptions {
  readonly environment: string
  readonly records: Records
  readonly clock: Clock
  readonly tasks: Tasks
  readonly settings: Settings['webhooks']
  /** The certificate that calls are made with now. */
  readonly credentials: () => Credentials
  /** PEM of authorities of receivers besides the public ones. */
  readonly receiverCa: string | null
  readonly faults: CallbackFaults
}

/** Registered addresses of one environment, and the service's calls to them. */
export interface Webhooks {
  readonly registered: Collection<Webhook>
  readonly callbacks: Collection<Callback>
  /** The callbacks that tell of a token. */
  ofNotification(token: string): readonly Callback[]
  /** Makes the two requests that decide whether an address is accepted. */
  judge(url: URL, options: { skipFirst: boolean; timeoutMs: number }): Promise<AddressVerdict>
  register(webhook: Omit<Webhook, 'id' | 'createdAt'>): Webhook
  /** Gives up what waits for its address. */
  remove(webhook: Webhook): void
  /** Sends what waits for its address to the new one. */
  move(webhook: Webhook, url: string): void
  /** Those of the callbacks that wait for another try, or are held by a fault, go to the URL. null: they are given up, as their address was removed. */
  redirect(callbacks: readonly Callback[], url: string | null): void
  /** Sends a body to every address that the account registered at the interface, with retries. @returns the callbacks' ids */
  publish(on: WebhookInterface, account: string, body: string): number[]
  /** Sends a body to one URL, with retries. */
  send(callback: NewCallback): number
}

const PROBE_TIMEOUT_MS = 5_000
/** Calls at the same time, of one environment. */
const MOST_CALLS = 100

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { environment, records, clock, tasks, settings, faults } = options
  const registered = records.collection<Webhook>(`${environment}.webhooks`)
  const callbacks = records.collection<Callback>(`${environment}.callbacks`)
  const idsByToken = records.collection<readonly number[]>(`${environment}.callbacks-by-token`)
  const inSlot = createSlots(MOST_CALLS)
  const taskKind = `${environment}.callback`
  const idle = new AbortController().signal

  function judge(
    url: URL,
    { skipFirst, timeoutMs }: { skipFirst: boolean; timeoutMs: number },
  ): Promise<AddressVerdict> {
    return judgeAddress(callOf(options, url, { body: settings.testBody, timeoutMs }), skipFirst, (call) =>
      callReceiver(call, idle),
    )
  }

  function send(callback: NewCallback): number {
    const id = records.nextNumber(`${environment}.callbacks`)
    callbacks.put(id, { id, ...callback, createdAt: clock.now(), state: 'pending', attempts: [] })
    const { token } = callback.notification ?? {}
    if (token !== undefined) idsByToken.put(token, [...(idsByToken.get(token) ?? []), id])
    tasks.schedule(taskKind, clock.now(), id)
    return id
  }

  const outlet: Outlet = {
    callbacks,
    send,
    resume: (id) => void tasks.schedule(taskKind, clock.now(), id),
  }
  faults.connect(outlet)

  tasks.define<number>(taskKind, (id, signal) => inSlot(() => attempt(id, signal)))

  async function attempt(id: number, signal: AbortSignal): Promise<void> {
    const callback = callbacks.get(id)
    if (callback?.state !== 'pending') return
    if (!URL.canParse(callback.url)) return record(id, failedAtItsAddress(callback, clock.now()))
    const fault = faults.begin(callback)
    if (fault === 'not_now') return
    const planned = callOfCallback(options, callback)
    if (settings.probe === 'always' && planned.credentials !== null && !hasHash(callback))
      probeSilently(planned, signal)
    const call = fault === undefined ? planned : await faults.change(planned, fault)
    const at = clock.now()
    const finished = await callReceiver(call, signal)
    records.transaction(() => {
      record(id, { at, request: requestOf(call), ...finished, fault: fault?.fault ?? null })
      // As it is now: its address may have moved, or have been removed, during the call.
      const called = callbacks.get(id)
      if (called !== undefined) faults.finish(called, fault)
    })
  }

  /** The request without a certificate never delays or disturbs the callback behind it. */
  function probeSilently(call: ReceiverCall, signal: AbortSignal): void {
    callReceiver({ ...call, credentials: null, timeoutMs: PROBE_TIMEOUT_MS }, signal).catch(() => undefined)
  }

  function record(id: number, attempt: Attempt): void {
    const callback = callbacks.get(id)
    if (callback === undefined) return
    const attempts = [...callback.attempts, attempt]
    const delayMs = retryDelayMs(settings.retryMinutes, attempts.length)
    const state = stateAfter(callback, attempt.outcome, delayMs)
    callbacks.put(id, { ...callback, attempts, state })
    if (state === 'pending' && delayMs !== undefined) tasks.schedule(taskKind, attempt.at + delayMs, id)
  }

  function redirect(of: readonly Callback[], url: string | null): void {
    for (const callback of of) {
      if (callback.state !== 'pending' && callback.state !== 'waiting') continue
      const change = url === null ? { state: 'given_up' as const, addressRemovedAt: clock.now() } : { url }
      callbacks.put(callback.id, { ...callback, ...change })
      faults.redirect(callback.id, url)
    }
  }

  const sentTo = (webhook: Webhook) => callbacks.list().filter((callback) => goesTo(callback, webhook))

  function hasHash(callback: Callback): boolean {
    return registered.list().some((webhook) => webhook.hasHash === true && goesTo(callback, webhook))
  }

  return {
    registered,
    callbacks,
    redirect,
    ofNotification: (token) => (idsByToken.get(token) ?? []).flatMap((id) => callbacks.get(id) ?? []),
    judge,
    register(webhook) {
      const made = { id: randomUUID(), ...webhook, createdAt: clock.now() }
      registered.put(made.id, made)
      return made
    },
    remove(webhook) {
      records.transaction(() => {
        registered.delete(webhook.id)
        redirect(sentTo(webhook), null)
      })
    },
    move(webhook, url) {
      records.transaction(() => {
        registered.put(webhook.id, { ...webhook, url })
        redirect(sentTo(webhook), url)
      })
    },
    publish: (on, account, body) =>
      registered
        .list()
        .filter((webhook) => webhook.interface === on && webhook.account === account)
        .map(({ url }) => send({ interface: on, account, url, body })),
    send,
  }
}

type Calling = Pick<WebhooksOptions, 'settings' | 'receiverCa' | 'credentials'>

function callOf(
  { settings, receiverCa, credentials }: Calling,
  url: URL,
  { body, timeoutMs }: Pick<ReceiverCall, 'body' | 'timeoutMs'>,
) {
  return {
    url,
    body,
    timeoutMs,
    receiverCa,
    contentType: 'application/json',
    credentials: credentials(),
    allowPublicAddresses: settings.allowPublicAddresses,
  }
}

function callOfCallback(calling: Calling, callback: Callback): ReceiverCall {
  const { url, body, encoding, contentType, interface: on, notification } = callback
  const { openBankingTimeoutSeconds, timeoutSeconds } = calling.settings
  const timeoutMs = (on === 'open-banking' ? openBankingTimeoutSeconds : timeoutSeconds) * 1000
  const bytes = encoding === undefined ? body : Buffer.from(body, encoding)
  const call = {
    ...callOf(calling, new URL(url), { body: bytes, timeoutMs }),
    ...(contentType !== undefined && { contentType }),
  }
  if (notification === undefined) return call
  const isForm = notification.form === 'token'
  return { ...call, credentials: null, ...(isForm && { contentType: 'application/x-www-form-urlencoded' }) }
}

function goesTo(callback: Callback, { interface: on, account, url }: Webhook): boolean {
  return callback.interface === on && callback.account === account && callback.url === url
}

function requestOf({ url, contentType, credentials }: ReceiverCall): SentRequest {
  return { url: url.href, contentType, certificate: credentials && shownCertificate(credentials.certificate) }
}

/** An attempt at the address of a charge, which may be anything behind http:// or https://. */
function failedAtItsAddress({ url, contentType = 'application/json' }: Callback, at: number): Attempt {
  return {
    at,
    startedAt: Date.now(),
    durationMs: 0,
    fault: null,
    request: { url, contentType, certificate: null },
    outcome: { kind: 'unreachable', reason: 'the address is not a URL', code: '' },
    timing: { connected: null, secured: null, sent: null, answered: null },
  }
}

/** By PEM: the certificates of a simulator are few, and reading one takes as long as sending a callback's body. */
const shown = new Map<string, NonNullable<SentRequest['certificate']>>()

function shownCertificate(pem: string): NonNullable<SentRequest['certificate']> {
  const known = shown.get(pem)
  if (known !== undefined) return known
  const { subject, fingerprint256: sha256 } = new X509Certificate(pem)
  const certificate = { subject: subject.replaceAll('\n', ', '), sha256 }
  shown.set(pem, certificate)
  return certificate
}

/** The receiver may have fetched the entries before it answered: then the callback is delivered already. */
function stateAfter(
  { state, notification }: Callback,
  outcome: CallOutcome,
  delayMs: number | undefined,
): Callback['state'] {
  if (state !== 'pending') return state
  if (isSuccess(outcome) && notification?.form !== 'token') return 'delivered'
  return delayMs === undefined ? 'given_up' : 'pending'
}
