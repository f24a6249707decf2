import { z } from 'zod'
import { listCharges } from '../charges/charges.ts'
import { type ControlEndpoint, ControlError, controlEndpoint, newestLimit } from '../control-api/control-endpoint.ts'
import type { Site } from '../site.ts'
import type { Attempt, Callback, NewCallback, Webhook } from '../webhooks/callback.ts'

const WEBHOOK_INTERFACES = ['registration', 'payment', 'open-banking'] as const
const STATES = ['pending', 'delivered', 'given_up', 'waiting', 'merged', 'dropped'] as const

const milliseconds = z.int().nullable()

const attemptSchema = z.object({
  at: z.iso.datetime().describe('Simulated time'),
  request: z.object({
    method: z.literal('POST'),
    url: z.string(),
    contentType: z.string(),
    certificate: z.object({ subject: z.string(), sha256: z.string() }).nullable(),
  }),
  response: z
    .object({ status: z.int(), headers: z.record(z.string(), z.unknown()), body: z.string() })
    .nullable()
    .describe('Body: its first 1000 characters'),
  outcome: z.string().describe('answered, timeout, closed, unreachable, handshake_failed, …'),
  reason: z.string().nullable(),
  fault: z.string().nullable().describe('The fault that changed this attempt'),
  startedAt: z.iso.datetime().describe('Real time'),
  timing: z.object({
    connected: milliseconds,
    secured: milliseconds,
    sent: milliseconds,
    answered: milliseconds,
    ended: z.int(),
  }),
})

const callbackSchema = z.object({
  id: z.int(),
  interface: z.string(),
  account: z.string(),
  url: z.string(),
  body: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  createdAt: z.iso.datetime().describe('Simulated time'),
  state: z.enum(STATES),
  copyOf: z.int().nullable(),
  carries: z.array(z.int()),
  mergedInto: z.int().nullable(),
  attempts: z.array(attemptSchema),
})

const webhookSchema = z.object({
  id: z.string(),
  interface: z.enum(WEBHOOK_INTERFACES),
  account: z.string(),
  url: z.string(),
  createdAt: z.iso.datetime(),
})

/** A body of any kind: a JSON value, a text, or bytes. */
const bodySchema = z
  .strictObject({
    url: z
      .string()
      .optional()
      .describe('A registered URL, or the notification_url of a charge. Left out: all that the other members choose'),
    interface: z
      .enum([...WEBHOOK_INTERFACES, 'charges'])
      .optional()
      .describe('Left out: all but charges, unless `url` names the address of a charge'),
    account: z.string().optional().describe('Number of the account that registered the URL'),
    body: z.unknown().optional().describe('Any value, sent as JSON'),
    text: z.string().optional().describe('Sent unchanged, as UTF-8'),
    base64: z.base64().optional().describe('Bytes that are sent unchanged'),
    contentType: z
      .string()
      .regex(/^[\x20-\x7e]{1,200}$/, 'must be visible ASCII')
      .default('application/json'),
  })
  .refine(({ body, text, base64 }) => [body, text, base64].filter((one) => one !== undefined).length === 1, {
    error: 'give one of body, text and base64',
  })

/** Callbacks, their attempts, and the addresses that they go to. */
export function callbacksControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'listCallbacks',
      method: 'get',
      path: '/callbacks',
      summary:
        'List callbacks with every attempt: request, response and timing; the newest `limit` of them, oldest first',
      query: z.strictObject({
        interface: z.string().optional(),
        account: z.string().optional(),
        url: z.string().optional().describe('Text that the URL contains'),
        state: z.enum(STATES).optional(),
        fault: z.string().optional().describe('Fault that changed an attempt'),
        after: z.string().regex(/^\d+$/, 'is no id').optional().describe('Only callbacks with a higher id'),
        limit: newestLimit,
      }),
      answers: { 200: { description: 'The callbacks', schema: z.object({ callbacks: z.array(callbackSchema) }) } },
      run({ site, query }) {
        const found = site.webhooks.callbacks.list().filter((callback) => isWanted(callback, query))
        return { status: 200, json: { callbacks: found.slice(-Number(query.limit)).map(viewOf) } }
      },
    }),
    controlEndpoint({
      id: 'showCallback',
      method: 'get',
      path: '/callbacks/:id',
      summary: 'Show a callback with every attempt',
      answers: {
        200: { description: 'The callback', schema: callbackSchema },
        404: { description: 'No callback has this id' },
      },
      run({ site, params: { id = '' } }) {
        const callback = site.webhooks.callbacks.get(id)
        if (callback === undefined) throw new ControlError(404, `no callback has the id ${id}`)
        return { status: 200, json: viewOf(callback) }
      },
    }),
    controlEndpoint({
      id: 'sendCallback',
      method: 'post',
      path: '/callbacks',
      summary: 'Send a body of any kind to a registered URL, with the retries of a callback',
      body: bodySchema,
      answers: {
        202: { description: 'The ids of the callbacks', schema: z.object({ callbacks: z.array(z.int()) }) },
        404: { description: 'No such URL is registered' },
      },
      run({ site, body }) {
        const { contentType, base64 } = body
        const sent = base64 !== undefined ? { body: base64, encoding: 'base64' as const } : { body: textOf(body) }
        const callbacks = chosenReceivers(site, body).map((receiver) =>
          site.webhooks.send({ ...receiver, contentType, ...sent }),
        )
        return { status: 202, json: { callbacks } }
      },
    }),
    controlEndpoint({
      id: 'listWebhooks',
      method: 'get',
      path: '/webhooks',
      summary: 'List the registered URLs',
      answers: { 200: { description: 'The URLs', schema: z.object({ webhooks: z.array(webhookSchema) }) } },
      run: ({ site }) => ({
        status: 200,
        json: {
          webhooks: site.webhooks.registered
            .list()
            .map(({ createdAt, hasHash: _, ...webhook }) => ({ ...webhook, createdAt: isoOf(createdAt) })),
        },
      }),
    }),
  ]
}

function textOf({ text, body }: { text?: string | undefined; body?: unknown }): string {
  return text ?? JSON.stringify(body)
}

type Receiver = Pick<NewCallback, 'interface' | 'account' | 'url' | 'notification'>
type Choice = Partial<Pick<Receiver, 'url' | 'account' | 'interface'>>

/** @throws ControlError 404 */
function chosenReceivers(
  site: Site,
  choice: { readonly [name in keyof Choice]?: Choice[name] | undefined },
): Receiver[] {
  const { url, account, interface: on } = choice
  const webhooks = site.webhooks.registered.list().map(receiverOf)
  // A charge has its address of its own: those of all charges are meant only where that is said.
  const receivers = on === 'charges' || url !== undefined ? [...webhooks, ...chargeReceivers(site)] : webhooks
  const found = receivers.filter(
    (receiver) =>
      (url ?? receiver.url) === receiver.url &&
      (account ?? receiver.account) === receiver.account &&
      (on ?? receiver.interface) === receiver.interface,
  )
  if (found.length > 0) return found
  const known = receivers.map((receiver) => `${receiver.url} (${receiver.interface})`)
  throw new ControlError(
    404,
    known.length === 0
      ? `no URL is registered in ${site.environment}: register one at the payment or the registration interface, or create a charge with a notification_url`
      : `no such URL is registered in ${site.environment}; registered: ${known.join(', ')}`,
  )
}

function receiverOf({ interface: on, account, url }: Webhook): Receiver {
  return { interface: on, account, url }
}

/** Each address once for each account, with the token of its newest charge. An answer delivers what is sent. */
function chargeReceivers(site: Site): Receiver[] {
  const receivers = new Map<string, Receiver>()
  for (const { id: chargeId, account, notificationUrl: url, notificationToken: token } of listCharges(site))
    if (url !== null) {
      const notification = { token, chargeId, form: 'json' } as const
      receivers.set(`${account} ${url}`, { interface: 'charges', account, url, notification })
    }
  return [...receivers.values()]
}

interface Wanted {
  readonly interface?: string | undefined
  readonly account?: string | undefined
  readonly url?: string | undefined
  readonly state?: string | undefined
  readonly fault?: string | undefined
  readonly after?: string | undefined
}

function isWanted(callback: Callback, { interface: on, account, url, state, fault, after }: Wanted): boolean {
  return (
    (on ?? callback.interface) === callback.interface &&
    (account ?? callback.account) === callback.account &&
    (state ?? callback.state) === callback.state &&
    callback.url.includes(url ?? '') &&
    callback.id > Number(after ?? 0) &&
    (fault === undefined || callback.attempts.some((attempt) => attempt.fault === fault))
  )
}

function viewOf(callback: Callback): z.infer<typeof callbackSchema> {
  const { id, account, url, body, encoding = 'utf8', state, createdAt } = callback
  const { copyOf = null, carries = [], mergedInto = null } = callback
  return {
    id,
    interface: callback.interface,
    account,
    url,
    body,
    encoding,
    createdAt: isoOf(createdAt),
    state,
    copyOf,
    carries: [...carries],
    mergedInto,
    attempts: callback.attempts.map(attemptOf),
  }
}

function attemptOf({
  at,
  request,
  outcome,
  fault,
  startedAt,
  timing,
  durationMs,
}: Attempt): z.infer<typeof attemptSchema> {
  const isAnswered = outcome.kind === 'answered'
  return {
    at: isoOf(at),
    request: { method: 'POST', ...request },
    response: isAnswered ? { status: outcome.status, headers: outcome.headers, body: outcome.body } : null,
    outcome: outcome.kind,
    reason: 'reason' in outcome ? outcome.reason : null,
    fault,
    startedAt: isoOf(startedAt),
    timing: { ...timing, ended: durationMs },
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
