import { readFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { scopeNames } from '../../../src/domain/scopes.ts'
import { createAuthority } from '../authority.ts'
import { callApi } from '../calls.ts'
import { until } from '../until.ts'
import { HARM, HOSTILE, ORDINARY, QUARANTINED, UNREADABLE } from './callbacks.ts'
import type { Credentials, PreparedSite } from './prepared-site.ts'

/** Clients of the prepared site, and ids that its pages need. */
export interface Known {
  /** Id of the event about this subject. */
  eventOf(subject: string): string
  readonly eventIds: readonly string[]
  /** The chain of production that is installed, PEM. */
  readonly chain: string
  /** Id of the destination with this name. */
  destinationOf(name: string): string
  /** Every scope, production only. */
  readonly manager: Credentials
  /** events.read, sandbox only. */
  readonly sandbox: Credentials
  /** support.read, production only. */
  readonly support: Credentials
  /** support.unmask beside it. */
  readonly unmasker: Credentials
}

const MANAGER_SCOPES: readonly string[] = scopeNames('svc').all

const HARMFUL_ANSWER = `<!doctype html><script>${HARM}</script><img src=x onerror="${HARM}">`

/** Fewer deliveries than open its circuit. */
const ERP = { subjects: { exact: ['1000001', '1000002'], prefix: [] } }

/** What a working installation shows: destinations in every state, a registration, callbacks, refusals, quarantine, a replay, consumers. */
export async function furnish(prepared: PreparedSite): Promise<Known> {
  const { ask, send, createDestination, createClient } = prepared
  await createDestination('books', { status: 200 })
  await createDestination('erp', { status: 500, body: HARMFUL_ANSWER }, ERP)
  await createDestination('ledger', { status: 200 }, { kinds: ['open-banking'] })
  await createDestination('archive', { status: 200 }, { kinds: ['payment', 'charge'] })
  await ask('POST', '/v1/destinations/archive/pause')
  await registerApp(prepared)
  await send(ORDINARY)
  await send(ORDINARY.slice(3, 4))
  await send([...HOSTILE, ...UNREADABLE])
  await send(QUARANTINED)
  await causeRefusals(prepared)
  for (const consumer of ['books', 'reports']) await ask('POST', `/v1/consumers/${consumer}/batches`, { limit: 5 })
  await settled(prepared)
  await until(
    () => ask('GET', '/v1/search'),
    ({ lagEvents }) => lagEvents === 0,
  )
  await ask('POST', '/v1/replays', { destination: 'books', mode: 'all', filter: { kinds: ['payment'] } })
  await settled(prepared)
  // Its deliveries wait.
  await ask('POST', '/v1/destinations/ledger/pause')
  await ask('POST', '/v1/replays', { destination: 'ledger', mode: 'all' })
  const { data: events } = (await ask('GET', '/v1/events?limit=1000')) as { data: { id: string; subject: string }[] }
  const { data: named } = (await ask('GET', '/v1/destinations')) as { data: { id: string; name: string }[] }
  return {
    destinationOf: (name) => named.find((one) => one.name === name)?.id ?? '',
    eventOf: (subject) => events.find((event) => event.subject === subject)?.id ?? '',
    eventIds: events.map(({ id }) => id),
    chain: readFileSync(join(prepared.site.certs, 'trust/production.pem'), 'utf8'),
    manager: await createClient('manager', 'production', MANAGER_SCOPES),
    sandbox: await createClient('tests', 'sandbox', ['events.read', 'operations.read']),
    support: await createClient('support', 'production', ['support.read']),
    unmasker: await createClient('supervisor', 'production', ['support.read', 'support.unmask']),
  }
}

/** An app that registers for callbacks as it would at the service. */
async function registerApp({ gateway, createClient, baseURL }: PreparedSite): Promise<void> {
  if (baseURL.startsWith('https')) return
  const scopes = ['svc.registration.webhook.write', 'payment.webhook.write']
  const { id, secret } = await createClient('checkout', 'production', scopes)
  const grant = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
  // No system answers there.
  const url = 'http://127.0.0.1:9/callbacks'
  for (const [room, method, body] of [
    ['registration', 'POST', { webhookUrl: url }],
    ['payment', 'PUT', { url }],
  ] as const) {
    const given = await callApi(gateway.api, `/${room}/v1/oauth/token`, { method: 'POST', body: grant, token: null })
    const { access_token: token } = JSON.parse(given.body) as { access_token: string }
    const { status } = await callApi(gateway.api, `/${room}/v1/webhook`, { method, body, token })
    if (status >= 300) throw new Error(`the registration at ${room} got ${status}`)
  }
}

/** One without a certificate, one with a certificate of another authority, one at the charge listener without its token. */
async function causeRefusals({ gateway, site, ask }: PreparedSite): Promise<void> {
  const { callbacks, charges } = gateway
  await refusedCall(callbacks.port, '/callbacks/payment')
  await refusedCall(charges?.port ?? 0, `/charges/${'f'.repeat(64)}`)
  const subject = `/CN=<script>${HARM}<\\/script>`
  const { cert, keyFile } = createAuthority(join(site.folder, 'untrusted')).issue({ name: 'untrusted', subject })
  await refusedCall(callbacks.port, '/callbacks/payment', { cert, key: readFileSync(keyFile) })
  await until(
    async () => (await ask('GET', '/v1/refusals')).data as unknown[],
    (refusals) => refusals.length >= 3,
  )
}

export function refusedCall(port: number, path: string, credentials: object = {}): Promise<void> {
  const options = { host: '127.0.0.1', port, path, method: 'POST', rejectUnauthorized: false, agent: false }
  return new Promise((done) => {
    httpsRequest({ ...options, ...credentials, servername: 'localhost' }, (response) =>
      response.resume().once('end', done),
    )
      .on('error', () => done())
      .end('{}')
  })
}

/** Until the deliveries of systems that answer have ended. */
async function settled({ ask }: PreparedSite): Promise<void> {
  const { data } = (await ask('GET', '/v1/destinations')) as { data: { id: string; name: string }[] }
  const answering = data.filter(({ name }) => ['books', 'erp', 'ledger'].includes(name)).map(({ id }) => id)
  await until(
    async () => (await ask('GET', '/v1/deliveries?state=pending&limit=1000')).data as { destination: string }[],
    (pending) => !pending.some(({ destination }) => answering.includes(destination)),
    20_000,
  )
}
