import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { planReplay } from '../../src/api/replays/endpoints.ts'
import { makeDevelopmentCertificates } from '../../src/certificates/development/development.ts'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { AttemptOutcome } from '../../src/domain/delivery.ts'
import { hashOfSecret } from '../../src/domain/secrets/client-secret.ts'
import type { Store } from '../../src/domain/store.ts'
import { createSearchIndexer } from '../../src/jobs/search-indexer.ts'
import { openStore, openStoreReader } from '../../src/store/open-store.ts'
import { aDestination, aReceivedCallback, aRefusal, CALLER, NOON } from '../support/builders.ts'
import { BASE_CALLBACKS, createSite, recordingLog, type TestSite } from '../support/gateway.ts'
import { databaseFile, storeOptionsOf } from '../support/store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

/** What every clock of the golden outputs says: two hours after the data was stored. */
export const NOW = NOON + 2 * 3_600_000

const MINUTE = 60_000
const HELD = { pointers: ['/chave'], values: ['pix@livraria.example'] }

const CONFIGURATION = {
  callbacks: {
    ...BASE_CALLBACKS,
    kinds: {
      registration: { path: '/callbacks/registration' },
      payment: { path: '/callbacks/payment' },
      charge: { path: '/callbacks/charge' },
      'instant-payment': { path: '/callbacks/instant-payment', split: ['/pix'], accounts: { allow: [HELD] } },
    },
  },
  alarms: { channels: [{ name: 'team', webhook: 'http://127.0.0.1:9/hook', format: 'json' }] },
}

/**
 * A site whose database holds something of every noun, stored at fixed times. The clock of the process must say `NOW`. Nothing waits to be sent: the
 * gateways that run on copies of the site make no connection by themselves.
 */
export async function filledSite(): Promise<TestSite> {
  const site = await createSite(CONFIGURATION)
  // With validity by the clock of these tests, not by that of the machine.
  rmSync(site.certs, { recursive: true })
  await makeDevelopmentCertificates(site.certs, new Date(NOON))
  await fillStore(site)
  return site
}

async function fillStore(site: TestSite): Promise<void> {
  const config = loadConfig(site.configFile)
  const store = await openStore({ ...storeOptionsOf(config), kinds: config.callbacks.kinds })
  try {
    await createDestinations(store)
    await createClients(store)
    await storeEvents(store)
    await recordDeliveries(store)
    await readAsConsumers(store)
    await recordOthers(store)
    await replay(store)
    await indexSearch(store, config.callbacks.kinds)
  } finally {
    await store.close()
  }
}

async function createDestinations(store: Store): Promise<void> {
  const { id } = await store.createDestination(aDestination({ name: 'books', kinds: ['payment', 'charge'] }), NOON)
  await store.createDestination(
    aDestination({ name: 'erp', url: 'https://erp.example/in?key=hidden', kinds: ['payment'], rateLimit: 5 }),
    NOON,
  )
  const headers: [string, string][] = [['x-shop', 'livraria']]
  const archive = aDestination({ name: 'archive', kinds: ['registration'], environments: ['production'], headers })
  await store.createDestination(archive, NOON)
  for (const destination of [id, id + 1, id + 2]) await store.pauseDestination(destination, 'by an operator')
}

async function createClients(store: Store): Promise<void> {
  const client = (id: string, name: string) => ({
    ...({ id, name, environment: 'production', scopes: ['events.read'], secretHash: hashOfSecret(name) } as const),
  })
  await store.createClient(client('cli_sh0p000000', 'shop'), NOON)
  await store.createClient({ ...client('cli_supp0rt000', 'support'), scopes: ['support.read'] }, NOON + MINUTE)
  await store.createClient(client('cli_0ld0000000', 'old'), NOON + 2 * MINUTE)
  await store.revokeClient('cli_0ld0000000', NOON + 3 * MINUTE)
}

/** Its certificate does not expire soon: the warning would be an event. */
const SERVICE = { ...CALLER, notAfter: Date.UTC(2028, 0, 15) }

const BODIES = [
  ['payment', '{"identificador":"90817","status":{"atual":"LIQUIDADO"},"valor":"150.10"}'],
  ['payment', '{"identificador":"90818","status":{"atual":"NAO_REALIZADO"},"valor":"1234.56"}'],
  ['registration', '{"contaSimplificada":{"identificador":"ac2d9b4e"},"evento":"conta_aberta"}'],
  ['charge', '{"data":[{"id":2,"type":"charge","status":{"current":"paid"},"identifiers":{"charge_id":1000001}}]}'],
  ['payment', Buffer.from([0x7b, 0xff, 0x00, 0x80])],
  [
    'instant-payment',
    '{"pix":[{"endToEndId":"E1","txid":"shop7781","chave":"pix@livraria.example","valor":"42.00","pagador":{"nome":"Maria da Conceição"}},{"endToEndId":"E2","txid":"shop9001","chave":"someone@else.example","valor":12345678901234567.10}]}',
  ],
  ['instant-payment', '{"pix":[{"endToEndId":"\\u001b[31mE3","txid":"shop9002","chave":"someone@else.example"}]}'],
] as const

async function storeEvents(store: Store): Promise<void> {
  for (const [index, [kind, text]] of BODIES.entries()) {
    const at = { target: `/callbacks/${kind}`, receivedAt: NOON + (index + 10) * MINUTE }
    await store.storeCallback(aReceivedCallback({ kind, body: Buffer.from(text), peer: SERVICE, ...at }))
  }
  const [, text] = BODIES[0]
  await store.storeCallback(aReceivedCallback({ text, peer: SERVICE, receivedAt: NOON + 30 * MINUTE }))
  const sandbox = { environment: 'sandbox', peer: SERVICE, receivedAt: NOON + 31 * MINUTE } as const
  await store.storeCallback(aReceivedCallback({ text: text.replace('90817', '90819'), ...sandbox }))
}

/** Of `books` two are delivered and one is exhausted; the others wait for the end of the pause. */
async function recordDeliveries(store: Store): Promise<void> {
  const at = NOON + 40 * MINUTE
  const outcome = (deliveryId: number): Omit<AttemptOutcome, 'result'> => ({
    ...{ deliveryId, attempt: 1, startedAt: at, durationMs: 12 },
    ...{ status: 200, error: null, answer: Buffer.from('thanks') },
  })
  await store.resumeDestination(1)
  const { deliveries } = await store.claimDeliveries({
    ...{ destinationId: 1, limit: 3, now: at, leaseUntil: at + MINUTE, freshSince: 0, backlogLimit: 3 },
  })
  const [first = 0, second = 0, third = 0] = deliveries.map(({ deliveryId }) => deliveryId)
  await store.recordAttempts([
    { ...outcome(first), result: { state: 'delivered' } },
    { ...outcome(second), result: { state: 'delivered' } },
    {
      ...{ ...outcome(third), status: 500, error: 'status 500', answer: Buffer.from('<b>broken</b>') },
      result: { state: 'exhausted', reason: 'the schedule is used up' },
    },
  ])
  await store.pauseDestination(1, 'by an operator')
}

async function readAsConsumers(store: Store): Promise<void> {
  const range = { after: 0, end: 3, gapsReportedAt: 0 }
  const batch = { id: 'bat_b00ks00000', expiresAt: NOW + 5 * MINUTE }
  await store.leaseBatch({ owner: null, name: 'books' }, range, batch, NOON + 45 * MINUTE)
  await store.leaseBatch({ owner: 'cli_sh0p000000', name: 'books' }, range, null, NOON + 46 * MINUTE)
}

async function recordOthers(store: Store): Promise<void> {
  // It must not steer the terminal.
  const [subject, issuer] = ['CN=\u001b[31muntrusted', 'CN=another issuer']
  const refusals = [
    aRefusal({ refusedAt: NOON + 50 * MINUTE }),
    aRefusal({
      ...{ refusedAt: NOON + 51 * MINUTE, remoteAddress: '192.0.2.7', code: 'unknown_issuer' },
      ...{ reason: 'no installed chain has this issuer', detail: 'CN=another issuer', tlsVersion: 'TLSv1.2' },
      chain: [{ subject, issuer, fingerprint: CALLER.fingerprint, notBefore: null, notAfter: NOON }],
    }),
    aRefusal({ refusedAt: NOON + 52 * MINUTE, listener: 'api', code: 'invalid_token', reason: 'an unknown token' }),
  ]
  await store.recordRefusals({ refusals, probes: [{ address: '192.0.2.1', since: NOON }] })
  const action = { actor: 'operator', channel: 'api', details: null, refersTo: null } as const
  await store.recordAction({ ...action, at: NOON, action: 'pauseDestination', target: 'books', reason: 'maintenance' })
  const unmasked = { actor: 'cli_supp0rt000', action: 'unmaskEvent', target: 'evt_1_0123456789', reason: 'a complaint' }
  await store.recordAction({ ...action, ...unmasked, at: NOON + 55 * MINUTE })
  const expected = { kind: 'registration', environment: 'production', subject: 'opening-1', type: 'opening' } as const
  await store.expectSubjects([expected], NOON)
}

/** As the runner of replays does it. */
async function replay(store: Store): Promise<void> {
  const wish = { destination: 'books', mode: 'all', dryRun: false, filter: { subject: '90818' } } as const
  const { replay } = await planReplay(store, wish, null)
  const { replayId } = await store.createReplay(replay, NOON + 60 * MINUTE)
  await store.advanceReplay({ replayId, from: 0, to: replay.upTo, positions: [2] }, NOON + 61 * MINUTE)
}

/** As a running gateway does it: before its first look at what is wrong, or that would be that the index is behind. */
async function indexSearch(store: Store, kinds: Config['callbacks']['kinds']): Promise<void> {
  const indexer = createSearchIndexer({ store, kinds, now: Date.now, log: recordingLog([]) })
  indexer.start()
  await until(async () => (await store.readSearchState(NOW)).lagEvents === 0)
  await indexer.stop()
}

/** The site with another folder, for what must not meet. */
export function copyOf(site: TestSite): TestSite {
  const folder = temporaryFolder()
  cpSync(site.folder, folder, { recursive: true })
  return { folder, configFile: join(folder, 'portaria.yaml'), certs: join(folder, 'certs') }
}

/** Ids by `EVENT_` and the position. */
export async function eventIdsOf(site: TestSite): Promise<ReadonlyMap<string, string>> {
  const reader = await openStoreReader(databaseFile(loadConfig(site.configFile)))
  const { events } = await reader.listEvents({}, 100)
  await reader.close()
  return new Map(events.map(({ position, id }) => [`EVENT_${position}`, id]))
}
