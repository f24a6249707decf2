import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { Agent, request } from 'undici'
import { expect, inject, it, onTestFinished } from 'vitest'
import { eventId } from '../../src/domain/public-id.ts'
import { portaria } from '../cli/program.ts'
import { callApi } from '../support/calls.ts'
import { IS_FULL } from '../support/campaign.ts'
import { seededRandom } from '../support/crash-rounds.ts'
import { createSite, type SpawnedGateway, serviceCredentials, spawnGateway, type TestSite } from '../support/gateway.ts'
import { violationsOf } from '../support/invariants.ts'
import { reservePort } from '../support/ports.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { type SimulatorProcess, serviceEntry, spawnSimulator } from '../support/simulator-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const ROUNDS = IS_FULL ? 5 : 3
/** A multiple of the rounds. */
const TOKENS = IS_FULL ? 10_000 : 300
/** In this one, charges are paid by card and have further entries. */
const CARD_ROUND = 3
const UNKNOWN_TOKENS = 20
const ENTRIES = { none: 1, credit_card: 3 }
const QUERIES = { on: 'api', interface: 'charges', path: '/v1/notification/' }
/** Of the queries, another two in each round. A failure holds all queries back for a second. */
const FAULTS = [
  { fault: 'rate_limited', retryAfter: 1 },
  { fault: 'slow_answer', overMs: 400, count: 30 },
  { fault: 'server_error', status: 503 },
  { fault: 'late_answer', delayMs: 300, count: 30 },
  { fault: 'garbage' },
  { fault: 'expired_token' },
  { fault: 'broken_body' },
  { fault: 'cut_after_request' },
  { fault: 'cut_in_answer' },
]
const CHARGE_TOKEN = 'charge-token-of-the-campaign-0123456789abcdef'

interface World {
  readonly site: TestSite
  readonly file: string
  readonly simulator: SimulatorProcess
  /** The same for every life of the gateway. */
  readonly notificationUrl: string
}

async function createWorld(service: object): Promise<World> {
  const receiverCa = join(inject('testCa'), 'server-ca.crt')
  // Before each further try; a campaign moves the simulator's clock by one.
  const settings = { webhooks: { retryMinutes: Array(50).fill(1), timeoutSeconds: 5 } }
  const simulator = await spawnSimulator(temporaryFolder(), { receiverCa, settings })
  onTestFinished(() => simulator.stop())
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'charge-token'), CHARGE_TOKEN, { mode: 0o600 })
  // The simulator keeps the address of a notification.
  const port = await reservePort()
  const site = await createSite(
    {
      chargeNotifications: {
        // Without TLS, whose handshakes would be half of the campaign's time: each notification has a connection of its own.
        host: '127.0.0.1',
        port,
        tokens: [{ environment: 'sandbox', tokenFile: 'charge-token' }],
      },
      service: [serviceEntry(simulator, 'sandbox', folder, service)],
      forwarding: { allowedNetworks: ['127.0.0.0/8'], catchUpRate: 'unlimited' },
    },
    folder,
  )
  const { clientId } = simulator.applicationOf('sandbox')
  await simulator.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })
  const notificationUrl = `http://localhost:${port}/charges/${CHARGE_TOKEN}`
  return { site, file: join(folder, 'data/portaria.db'), simulator, notificationUrl }
}

async function kill(gateway: SpawnedGateway): Promise<void> {
  gateway.process.kill('SIGKILL')
  await gateway.exited
}

it(`${TOKENS} tokens become events, each entry once and in order, in ${ROUNDS} kills while they are resolved`, async () => {
  const seed = Date.now() % 2 ** 32
  const random = seededRandom(seed)
  const world = await createWorld({ resolveWithin: '15s', dailyBudgets: { notifications: 'unlimited' } })
  const { site, file, simulator, notificationUrl } = world
  const receiver = await startReceiver()
  const unknown = Array.from({ length: UNKNOWN_TOKENS }, (_, index) => `unknown-${seed}-${index}`)
  const startedAt = performance.now()
  let entries = 0

  for (let round = 0; round < ROUNDS; round++) {
    const gateway = await spawnGateway(site)
    if (round === 0)
      await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { url: receiver.url, name: 'books' } })
    const payment = round === CARD_ROUND ? 'credit_card' : 'none'
    const count = TOKENS / ROUNDS
    entries += count * ENTRIES[payment]
    for (const fault of [FAULTS[2 * round], FAULTS[2 * round + 1]])
      if (fault !== undefined) await simulator.control('POST', '/faults', { ...QUERIES, ...fault })
    const creating = simulator.control('POST', '/charges', { count, notificationUrl, payment })
    // Notifications that were not delivered come again.
    const advancing = creating.then(() => simulator.control('POST', '/clock/advance', { by: '1m' }))
    const sending = sendForms(world, unknown)
    await storesEvents(file, Math.floor(random() * count))
    // Anywhere within an answer, a query, a commit, a delivery.
    await wait(random() * 20)
    await kill(gateway)
    await Promise.all([advancing, sending])
    if (round % 2 === 1) {
      expect(violationsOf(file, circumstances()), `seed ${seed}, round ${round}`).toEqual([])
      console.log(`round ${round + 1}: ${JSON.stringify({ ...countsOf(file), ms: elapsed(startedAt) })}`)
    }
  }

  const last = await spawnGateway(site)
  await simulator.control('DELETE', '/faults')
  await sendForms(world, unknown)
  await until(
    async () => {
      const before = countsOf(file)
      await wait(500)
      const counts = countsOf(file)
      // Notifications that no gateway took come again.
      if (counts.resolved === before.resolved) await simulator.control('POST', '/clock/advance', { by: '1m' })
      return counts
    },
    ({ resolved, unresolved, pending }) => resolved >= entries && unresolved >= UNKNOWN_TOKENS && pending === 0,
    180_000,
  )
  last.process.kill('SIGTERM')
  expect(await last.exited).toBe(0)
  console.log(`seed ${seed}: ${JSON.stringify({ ...countsOf(file), ms: elapsed(startedAt) })}`)

  const events = storedEvents(file)
  const byToken = Map.groupBy(events, ({ token }) => token)
  const ofUnknown = unknown.map((token) => byToken.get(token)?.map(({ entryId }) => entryId))
  expect(ofUnknown, `seed ${seed}`).toEqual(unknown.map(() => [null]))
  for (const token of unknown) byToken.delete(token)
  expect(outOfOrder(byToken), `seed ${seed}`).toEqual([])
  expect([byToken.size, countsOf(file).resolved], `seed ${seed}`).toEqual([TOKENS, entries])
  expect(undelivered(events, receiver), `seed ${seed}`).toEqual([])
  expect(violationsOf(file, circumstances()), `seed ${seed}`).toEqual([])
  expect(await portaria(site, 'storage', 'verify')).toMatchObject({ code: 0 })
}, 600_000)

it('the daily budget of queries is not exceeded in 6 kills, whatever the service answers', async () => {
  const limit = 300
  const seed = Date.now() % 2 ** 32
  const random = seededRandom(seed)
  const { file, site, simulator, notificationUrl } = await createWorld({ dailyBudgets: { notifications: limit } })
  await simulator.control('POST', '/faults', { ...QUERIES, fault: 'expired_token' })
  await simulator.control('POST', '/faults', { ...QUERIES, fault: 'rate_limited', retryAfter: 0 })
  await simulator.control('POST', '/faults', { ...QUERIES, fault: 'server_error' })
  // Changes nothing and counts.
  await simulator.control('POST', '/faults', { ...QUERIES, fault: 'late_answer', delayMs: 0, count: null })
  async function queries(): Promise<number> {
    const { faults } = (await simulator.control('GET', '/faults')) as { faults: { changed: number }[] }
    return faults.reduce((sum, { changed }) => sum + changed, 0)
  }

  for (let round = 0; round < 6; round++) {
    const gateway = await spawnGateway(site)
    const creating = simulator.control('POST', '/charges', { count: 100, notificationUrl })
    const advancing = creating.then(() => simulator.control('POST', '/clock/advance', { by: '1m' }))
    await wait(200 + random() * 500)
    await kill(gateway)
    await advancing
  }
  const last = await spawnGateway(site)
  const isUsedUp = () => last.lines.some(({ event }) => event === 'tokens.budget_used_up')
  await simulator.control('POST', '/clock/advance', { by: '1m' })
  await until(() => isUsedUp() || countsOf(file).resolved === 600, Boolean, 60_000)
  await kill(last)

  // A night between two UTC days has both budgets.
  const { used, days } = budgetsOf(file)
  const made = await queries()
  console.log(`seed ${seed}: ${JSON.stringify({ limit, used, days, made, ...countsOf(file) })}`)
  expect(used, `seed ${seed}`).toBeLessThanOrEqual(limit * days)
  expect(made, `seed ${seed}`).toBeLessThanOrEqual(used)
  // The campaign did what it is for: some tokens were resolved, and others wait.
  expect(made).toBeGreaterThan(limit / 2)
  expect(countsOf(file).resolved).toBeLessThan(600)
}, 300_000)

/** Token forms as the service would send them; a gateway that is gone does not get them. */
async function sendForms({ site, notificationUrl }: World, tokens: readonly string[]): Promise<void> {
  const agent = new Agent({ connect: { ca: serviceCredentials(site).ca } })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  try {
    for (const token of tokens) {
      const options = { method: 'POST', headers, body: `notification=${token}`, dispatcher: agent } as const
      await (await request(notificationUrl, options)).body.dump()
    }
  } catch {
    // Killed.
  } finally {
    await agent.destroy()
  }
}

/** Returns when the gateway has stored so many further events, or does not get on. */
async function storesEvents(file: string, further: number): Promise<void> {
  const latest = () => reading(file, (db) => db.prepare<[], number>('select max(id) from events').pluck().get() ?? 0)
  const before = latest()
  const stopAt = performance.now() + 5000
  while (performance.now() < stopAt && latest() - before < further) await wait(50)
}

function circumstances() {
  return { now: Date.now(), stuckAfterMs: 60_000 }
}

function elapsed(from: number): number {
  return Math.round(performance.now() - from)
}

function reading<T>(file: string, read: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

interface Counts {
  readonly tokens: number
  readonly resolved: number
  readonly unresolved: number
  /** Deliveries that are not done. */
  readonly pending: number
}

function countsOf(file: string): Counts {
  return reading(
    file,
    (db) =>
      db
        .prepare(`
          select (select count(*) from notification_tokens) as tokens,
            (select count(*) from event_bodies where source = 'resolved') as resolved,
            (select count(*) from event_bodies where source = 'unresolved') as unresolved,
            (select count(*) from deliveries where state <> 'delivered') as pending`)
        .get() as Counts,
  )
}

function budgetsOf(file: string): { used: number; days: number } {
  return reading(
    file,
    (db) =>
      // Questions about missed charges have a budget of their own, which is larger.
      db
        .prepare("select sum(used) as used, count(*) as days from question_budgets where purpose = 'notifications'")
        .get() as ReturnType<typeof budgetsOf>,
  )
}

interface StoredEvent {
  readonly id: string
  readonly token: string
  /** null: the token itself, unresolved. */
  readonly entryId: number | null
  readonly body: string
}

/** In the order of their positions. */
function storedEvents(file: string): StoredEvent[] {
  return reading(file, (db) => {
    const rows = db
      .prepare<[], { position: number; nonce: string; body: string }>(`
        select e.id as position, e.nonce, cast(coalesce(b.body, c.body) as text) as body
        from events e join callbacks c on c.id = e.callback_id left join event_bodies b on b.event_id = e.id order by e.id`)
      .all()
    return rows.map(({ position, nonce, body }) => ({ id: eventId(position, nonce), ...contentOf(body), body }))
  })
}

function contentOf(body: string): Pick<StoredEvent, 'token' | 'entryId'> {
  if (!body.startsWith('{')) return { token: body.replace('notification=', ''), entryId: null }
  const { notification } = JSON.parse(body) as { notification: { token: string; entries: { id: number }[] } }
  return { token: notification.token, entryId: notification.entries[0]?.id ?? null }
}

/** Tokens whose entries are not 1, 2, … once each. A token that waited for long may be an event of its own, too. */
function outOfOrder(events: ReadonlyMap<string, readonly StoredEvent[]>): string[] {
  return [...events].flatMap(([token, ofToken]) => {
    const ids = ofToken.flatMap(({ entryId }) => entryId ?? [])
    return ids.every((id, index) => id === index + 1) ? [] : [`${token}: ${ids}`]
  })
}

/** Events that the destination never got with their bodies. */
function undelivered(events: readonly StoredEvent[], { received }: TestReceiver): string[] {
  const bodies = new Map(received.map(({ headers, body }) => [String(headers['webhook-id']), body.toString()]))
  return events.filter(({ id, body }) => bodies.get(id) !== body).map(({ id }) => id)
}
