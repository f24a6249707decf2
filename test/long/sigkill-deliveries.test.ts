import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { parseEventId } from '../../src/domain/public-id.ts'
import { callApi, callBack, keepAliveAgent } from '../support/calls.ts'
import { IS_FULL } from '../support/campaign.ts'
import { seededRandom } from '../support/crash-rounds.ts'
import { createSite, type SpawnedGateway, spawnGateway, type TestSite } from '../support/gateway.ts'
import { violationsOf } from '../support/invariants.ts'
import { until } from '../support/until.ts'

const ROUNDS = IS_FULL ? 40 : 4
/** Of these rounds the last is quiet. */
const ROUNDS_UNTIL_QUIET = Math.min(10, ROUNDS)
const SUBJECTS = 12
const CALLERS = 3
/** No delivery may run out of steps here: that one ends where it should is another test's matter. */
const SCHEDULE = [0, ...Array<number>(60).fill(100)]
/** Longer than ten rounds: to what is new, what waited before a start comes second, and a life of half a second may not get to it. */
const LONG_DUE = { stuckAfterMs: 60_000 }

interface Arrival {
  readonly position: number
  readonly attempt: number
  readonly subject: string
  readonly isAccepted: boolean
}

type Verdict = 'accept' | 'refuse' | 'cut'

interface CampaignReceiver {
  readonly name: string
  readonly url: string
  readonly arrivals: readonly Arrival[]
}

/** Decides for each request what becomes of it, after a while. */
async function startCampaignReceiver(name: string, verdict: () => Verdict, delayMs: number): Promise<CampaignReceiver> {
  const arrivals: Arrival[] = []
  const listener: RequestListener = async (request, response) => {
    try {
      const { identificador } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
        identificador: string
      }
      const fate = verdict()
      arrivals.push({
        position: parseEventId(String(request.headers['webhook-id']))?.position ?? 0,
        attempt: Number(request.headers['portaria-attempt']),
        subject: identificador,
        isAccepted: fate === 'accept',
      })
      await wait(delayMs)
      if (fate === 'cut') response.destroy()
      else response.writeHead(fate === 'accept' ? 200 : 500).end()
    } catch {
      // The gateway was killed while it sent.
      response.destroy()
    }
  }
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { name, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, arrivals }
}

/** Sends notifications one after the other until the gateway is gone; counts those that were acknowledged. */
async function sendUntilCut(
  gateway: SpawnedGateway,
  site: TestSite,
  next: () => { key: string; body: string },
  acknowledged: Set<string>,
): Promise<void> {
  const agent = keepAliveAgent(site, 1)
  try {
    for (;;) {
      const { key, body } = next()
      const answer = await callBack({ callbacks: gateway.callbacks, site }, { body, agent })
      if (answer.status === 200) acknowledged.add(key)
      await wait(10)
    }
  } catch {
    // Killed: what got no answer may be stored or not.
  } finally {
    agent.destroy()
  }
}

it(`nothing pending is lost, stuck, out of order or unaccounted for in ${ROUNDS} kills during deliveries`, async () => {
  const seed = Date.now() % 2 ** 32
  const random = seededRandom(seed)
  const site = await createSite({
    forwarding: {
      allowedNetworks: ['127.0.0.0/8'],
      catchUpRate: 'unlimited',
      timeout: '2s',
      circuit: { failures: 5, probeInterval: '100ms' },
    },
  })
  const file = join(site.folder, 'data/portaria.db')
  const flaky = (): Verdict => (random() < 0.6 ? 'accept' : random() < 0.5 ? 'refuse' : 'cut')
  const receivers = await Promise.all([
    startCampaignReceiver('steady', () => 'accept', 0),
    startCampaignReceiver('slow', () => 'accept', 120),
    startCampaignReceiver('flaky', flaky, 5),
    startCampaignReceiver('ordered', () => (random() < 0.95 ? 'accept' : flaky()), 5),
  ])
  const ordered = receivers[3] as CampaignReceiver

  const acknowledged = new Set<string>()
  let count = 0
  function next() {
    const identificador = `subject-${Math.floor(random() * SUBJECTS)}`
    const key = String(++count)
    return { key, body: JSON.stringify({ identificador, key, status: { atual: 'LIQUIDADO' } }) }
  }

  for (let round = 1; round <= ROUNDS; round++) {
    const gateway = await spawnGateway(site)
    if (round === 1) for (const { name, url } of receivers) await create(gateway, name, url)
    // In between nothing new comes until everything has gone out: what a crash left stuck would stay.
    const isQuiet = round % ROUNDS_UNTIL_QUIET === 0
    const sending = isQuiet
      ? []
      : Array.from({ length: CALLERS }, () => sendUntilCut(gateway, site, next, acknowledged))
    if (isQuiet) await nothingWaits(file)
    else {
      const before = acknowledged.size
      // Every other kill comes in full work, however slow the machine is; the others at any time since the start.
      if (round % 2 === 0) await until(() => acknowledged.size >= before + 35)
      await wait(random() * 600)
    }
    gateway.process.kill('SIGKILL')
    await gateway.exited
    await Promise.all(sending)
    expect(violationsOf(file, { ...LONG_DUE, now: Date.now() }), `seed ${seed}, round ${round}`).toEqual([])
    if (isQuiet) console.log(`round ${round}: ${JSON.stringify(stateOf(file))}`)
  }

  const last = await spawnGateway(site)
  await nothingWaits(file)
  last.process.kill('SIGTERM')
  expect(await last.exited).toBe(0)
  expect(violationsOf(file, { ...LONG_DUE, now: Date.now() }), `seed ${seed}, at the end`).toEqual([])

  const stored = storedKeys(file)
  const lost = [...acknowledged].filter((key) => !stored.has(key))
  const undelivered = receivers.flatMap(({ name, arrivals }) => {
    const accepted = new Set(arrivals.filter(({ isAccepted }) => isAccepted).map(({ position }) => position))
    return [...stored.values()].filter((position) => !accepted.has(position)).map((position) => `${name}: ${position}`)
  })
  const unaccounted = receivers.flatMap((receiver) => unaccountedFor(file, receiver))
  const outOfOrder = arrivedOutOfOrder(ordered)
  const counts = {
    ...stateOf(file),
    acknowledged: acknowledged.size,
    stored: stored.size,
    repeated: repeats(receivers),
  }
  console.log(`seed ${seed}: ${JSON.stringify(counts)}`)
  expect({ lost, undelivered, unaccounted, outOfOrder }, `seed ${seed}`).toEqual({
    lost: [],
    undelivered: [],
    unaccounted: [],
    outOfOrder: [],
  })
  // Nothing comes twice but what a crash interrupted.
  expect(counts.repeated).toBeLessThanOrEqual(counts.interrupted)
  // The campaign did what it is for.
  expect(counts.stored).toBeGreaterThan(12 * ROUNDS)
  expect(counts.interrupted).toBeGreaterThan(IS_FULL ? ROUNDS : 0)
}, 600_000)

async function create(gateway: SpawnedGateway, name: string, url: string): Promise<void> {
  const order = name === 'ordered' ? 'subject' : 'none'
  const body = { name, url, order, scheduleMs: SCHEDULE, concurrency: 16 }
  expect((await callApi(gateway.api, '/v1/destinations', { method: 'POST', body })).status).toBe(201)
}

function nothingWaits(file: string): Promise<unknown> {
  return until(
    () => stateOf(file),
    ({ waiting }) => waiting === 0,
    30_000,
  )
}

function reading<T>(file: string, read: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

function stateOf(file: string): { delivered: number; waiting: number; attempts: number; interrupted: number } {
  return reading(
    file,
    (db) =>
      db
        .prepare(`
          select (select count(*) from deliveries where state = 'delivered') as delivered,
            (select count(*) from deliveries where state <> 'delivered') as waiting,
            (select count(*) from attempts) + (select count(*) from deliveries where first_started_at is not null) as attempts,
            (select count(*) from attempts where error like 'interrupted%') as interrupted`)
        .get() as ReturnType<typeof stateOf>,
  )
}

/** What each stored notification was numbered by its sender, and its position. */
function storedKeys(file: string): Map<string, number> {
  return reading(file, (db) => {
    const rows = db
      .prepare<[], { key: string; id: number }>(`
        select json_extract(cast(c.body as text), '$.key') as key, e.id from events e join callbacks c on c.id = e.callback_id`)
      .all()
    return new Map(rows.map(({ key, id }) => [key, id]))
  })
}

/** Requests that came and are not on record under the number that they bore, or with another end. */
function unaccountedFor(file: string, { name, arrivals }: CampaignReceiver): string[] {
  return reading(file, (db) => {
    const find = db.prepare<[string, number, number], { status: number | null; error: string | null }>(`
      select a.status, a.error from (
        select delivery_id, attempt, status, error from attempts
        union all select id, 1, last_status, null from deliveries where first_started_at is not null
      ) a join deliveries d on d.id = a.delivery_id join destinations t on t.id = d.destination_id
      where t.name = ? and d.event_id = ? and a.attempt = ?`)
    return arrivals
      .filter(({ position, attempt, isAccepted }) => {
        const on = find.get(name, position, attempt)
        // One that was cut off is sent once more within its attempt, so the attempt may have ended well all the same.
        return on === undefined || (isAccepted && on.status !== 200 && on.error?.startsWith('interrupted') !== true)
      })
      .map(({ position, attempt }) => `${name}: event ${position}, attempt ${attempt}`)
  })
}

/** Events of one subject that came for the first time after a later one had. */
function arrivedOutOfOrder({ arrivals }: CampaignReceiver): string[] {
  const highest = new Map<string, number>()
  const seen = new Set<number>()
  return arrivals.flatMap(({ subject, position }) => {
    if (seen.has(position)) return []
    seen.add(position)
    const before = highest.get(subject) ?? 0
    highest.set(subject, Math.max(before, position))
    return position < before ? [`${subject}: ${position} after ${before}`] : []
  })
}

/** Accepted once more although they had been before: what the crashes cost. */
function repeats(receivers: readonly CampaignReceiver[]): number {
  return receivers.reduce((sum, { arrivals }) => {
    const accepted = arrivals.filter(({ isAccepted }) => isAccepted)
    return sum + accepted.length - new Set(accepted.map(({ position }) => position)).size
  }, 0)
}
