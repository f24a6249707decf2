import { Agent } from 'node:https'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { verifyAuditChain } from '../../src/store/sqlite/verification/verify-audit-chain.ts'
import { allEvents, callApi, callBack, type ListedEvent } from './calls.ts'
import { createSite, type SpawnedGateway, serviceCredentials, spawnGateway, type TestSite } from './gateway.ts'
import { type Received, startReceiver, type TestReceiver } from './receiver.ts'
import { until } from './until.ts'

/** What a campaign of crashes counted. Subjects, each of them one fact, unless said otherwise. */
export interface CrashReport {
  readonly rounds: number
  readonly sent: number
  readonly acknowledged: number
  /** Acknowledged before the last crash, so by a process that was killed later. */
  readonly acknowledgedBeforeCrash: number
  /** Sent, never answered, and found in the store when they came again. */
  readonly recognised: number
  /** Events in the store at the end. */
  readonly stored: number
  /** Different `webhook-id`s that the destination saw. */
  readonly delivered: number
  /** Requests that the destination saw, repetitions included. */
  readonly requests: number
  /** Acknowledged and not in the store; empty. */
  readonly lost: readonly string[]
  /** In the store more than once; empty. */
  readonly storedTwice: readonly string[]
  /** In the store under the wrong environment; empty. */
  readonly misplaced: readonly string[]
  /** Acknowledged and never delivered; empty. */
  readonly undelivered: readonly string[]
  /** One `webhook-id` with two different bodies; empty. */
  readonly mixedUp: readonly string[]
  /** What SQLite's own checks say of the database; empty. */
  readonly damage: readonly unknown[]
  /** How the gateway ended when it was asked to, at the very end. */
  readonly lastExit: number | string
}

export interface CrashOptions {
  readonly rounds: number
  /** Chooses the moments; a seeded one repeats them. */
  readonly random: () => number
  readonly connections?: number
}

type Environment = 'production' | 'sandbox'

interface Notification {
  readonly environment: Environment
  readonly subjects: readonly string[]
  readonly body: string
}

const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox']

/** The real program under load, killed at random moments and started again on the same database; then everything is counted. */
export async function runCrashRounds({ rounds, random, connections = 6 }: CrashOptions): Promise<CrashReport> {
  const site = await createSite()
  const receiver = await startReceiver()
  const ledger = new Ledger()
  for (let round = 0; round < rounds; round++) await crashOnce(round)

  async function crashOnce(round: number): Promise<void> {
    const gateway = await spawnGateway(site)
    if (round === 0) {
      await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { url: receiver.url, name: 'books' } })
    }
    const acknowledgements = ledger.acknowledged.size + Math.floor(random() * 600)
    const load = putUnderLoad({ gateway, site, ledger, connections })
    await until(() => ledger.acknowledged.size >= acknowledgements, Boolean, 30_000)
    // The random moment itself: anywhere within a commit, an answer, a delivery.
    await wait(random() * 20)
    gateway.process.kill('SIGKILL')
    await gateway.exited
    await load
  }

  const acknowledgedBeforeCrash = ledger.acknowledged.size
  const gateway = await spawnGateway(site)
  await sendAgain(gateway, site, ledger)
  const events = await allEvents(gateway.api)
  await until(
    () => backlogOf(gateway),
    (waiting) => waiting === 0,
    60_000,
  )
  gateway.process.kill('SIGTERM')
  const lastExit = await gateway.exited
  return {
    ...judge(ledger, events, receiver),
    rounds,
    acknowledgedBeforeCrash,
    damage: damageOf(join(site.folder, 'data/portaria.db')),
    lastExit,
  }
}

/** What was sent and what was answered, across all lives of the gateway. */
class Ledger {
  readonly sent = new Map<string, Environment>()
  readonly acknowledged = new Set<string>()
  readonly unanswered: Notification[] = []
  #last = 0

  next(): Notification {
    const environment = ENVIRONMENTS[this.#last % 2] as Environment
    const count = this.#last % 5 === 0 ? 3 : 1
    const subjects = Array.from({ length: count }, () => `subject-${++this.#last}`)
    for (const subject of subjects) this.sent.set(subject, environment)
    return { environment, subjects, body: bodyOf(subjects) }
  }

  acknowledge({ subjects }: Notification): void {
    for (const subject of subjects) this.acknowledged.add(subject)
  }
}

/** Several facts come as an array that the configuration splits. */
function bodyOf(subjects: readonly string[]): string {
  const facts = subjects.map((identificador) => ({ identificador, status: { atual: 'LIQUIDADO' }, valor: 150.1 }))
  return JSON.stringify(facts.length === 1 ? facts[0] : { pix: facts })
}

interface Load {
  readonly gateway: SpawnedGateway
  readonly site: TestSite
  readonly ledger: Ledger
  readonly connections: number
}

/** Keep-alive connections, one notification at a time on each, until theirs breaks. */
async function putUnderLoad({ gateway, site, ledger, connections }: Load): Promise<void> {
  await Promise.all(Array.from({ length: connections }, (_, index) => sendUntilCut(index)))

  async function sendUntilCut(index: number): Promise<void> {
    const agents = agentsOf(site)
    // What got no answer before comes again first, as the service would send it.
    const again = ledger.unanswered.splice(0, index === 0 ? 20 : 0)
    for (let isUp = true; isUp; ) {
      const notification = again.shift() ?? ledger.next()
      isUp = await deliver(notification, agents)
    }
    ledger.unanswered.push(...again)
    for (const agent of Object.values(agents)) agent.destroy()
  }

  async function deliver(notification: Notification, agents: Agents): Promise<boolean> {
    const isAcknowledged = await acknowledges({ gateway, site }, notification, agents)
    if (isAcknowledged) ledger.acknowledge(notification)
    else ledger.unanswered.push(notification)
    return isAcknowledged
  }
}

type Agents = Readonly<Record<Environment, Agent>>

function agentsOf(site: TestSite): Agents {
  const agentOf = (environment: Environment) =>
    new Agent({ keepAlive: true, maxSockets: 1, servername: 'localhost', ...serviceCredentials(site, environment) })
  return { production: agentOf('production'), sandbox: agentOf('sandbox') }
}

async function acknowledges(
  { gateway, site }: { gateway: SpawnedGateway; site: TestSite },
  { environment, body }: Notification,
  agents: Agents,
): Promise<boolean> {
  try {
    const answer = await callBack(
      { callbacks: gateway.callbacks, site },
      { body, environment, agent: agents[environment] },
    )
    return answer.status === 200
  } catch {
    // Cut off: no one knows whether it was stored.
    return false
  }
}

async function sendAgain(gateway: SpawnedGateway, site: TestSite, ledger: Ledger): Promise<void> {
  const agents = agentsOf(site)
  for (const notification of ledger.unanswered.splice(0)) {
    if (!(await acknowledges({ gateway, site }, notification, agents)))
      throw new Error('the last gateway did not acknowledge')
    ledger.acknowledge(notification)
  }
  for (const agent of Object.values(agents)) agent.destroy()
}

async function backlogOf(gateway: SpawnedGateway): Promise<number> {
  const { body } = await callApi(gateway.api, '/v1/destinations')
  const { data } = JSON.parse(body) as { data: { waiting: number }[] }
  return data.reduce((sum, { waiting }) => sum + waiting, 0)
}

function judge(ledger: Ledger, events: readonly ListedEvent[], receiver: TestReceiver) {
  const { sent, acknowledged } = ledger
  const bySubject = Map.groupBy(events, (event) => event.subject ?? '')
  const byId = Map.groupBy(receiver.received, (request) => String(request.headers['webhook-id']))
  const isDelivered = (subject: string) =>
    bySubject.get(subject)?.every((event) => carries(byId.get(event.id), subject)) === true
  return {
    sent: sent.size,
    acknowledged: acknowledged.size,
    recognised: events.filter((event) => event.duplicates > 0).length,
    stored: events.length,
    delivered: byId.size,
    requests: receiver.received.length,
    lost: [...acknowledged].filter((subject) => !bySubject.has(subject)),
    storedTwice: [...bySubject].filter(([, copies]) => copies.length > 1).map(([subject]) => subject),
    misplaced: events.filter((event) => sent.get(event.subject ?? '') !== event.environment).map((event) => event.id),
    undelivered: [...acknowledged].filter((subject) => !isDelivered(subject)),
    mixedUp: [...byId]
      .filter(([, copies]) => new Set(copies.map(({ body }) => body.toString())).size > 1)
      .map(([id]) => id),
  }
}

function carries(requests: readonly Received[] | undefined, subject: string): boolean {
  return requests?.some(({ body }) => body.includes(`"${subject}"`)) === true
}

/** What SQLite's own checks and the hashes of the events find wrong; none for a sound database. */
export function damageOf(file: string): unknown[] {
  const db = new Database(file, { readonly: true })
  try {
    const integrity = db.pragma('integrity_check') as { integrity_check: string }[]
    const foreignKeys = db.pragma('foreign_key_check') as unknown[]
    const { problems } = verifyAuditChain(file, [], () => undefined)
    return [...integrity.filter((row) => row.integrity_check !== 'ok'), ...foreignKeys, ...problems]
  } finally {
    db.close()
  }
}

/** A small seeded generator (mulberry32), so that a bad run can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return function random() {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
