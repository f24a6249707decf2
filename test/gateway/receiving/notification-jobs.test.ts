import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { addEntry } from '../../../simulator/src/notifications/notification-log.ts'
import { type RunningSimulator, runSimulator } from '../../../simulator/test/running.ts'
import type { NewCallback } from '../../../src/domain/event.ts'
import { ENVIRONMENTS } from '../../../src/domain/realm.ts'
import type { Store } from '../../../src/domain/store.ts'
import { resolveNotifications } from '../../../src/gateway/notifications.ts'
import type { ServiceInUse } from '../../../src/gateway/service-in-use.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { clientOf } from '../../service/service.ts'
import { aTokenCallback } from '../../store/contract/token-contract.ts'
import { NOON } from '../../support/builders.ts'
import { type LogLine, recordingLog } from '../../support/gateway.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'
import { until } from '../../support/until.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator()
})
afterAll(() => running.stop())
beforeEach(() => running.control('POST', '/reset', { environment: 'sandbox' }))

/** Status changes of charge 77 that the service knows by the token. */
function addEntries(token: string, ...statuses: string[]): void {
  const site = running.simulator.sites.sandbox
  const account = site.applications.list()[0]?.account ?? ''
  for (const current of statuses) {
    const status = { current, previous: null }
    addEntry(site, { token, account }, { type: 'charge', identifiers: { charge_id: 77 }, customId: null, status })
  }
}

/** Changes the next answers to queries. */
const order = (fault: object) =>
  running.control('POST', '/faults', { on: 'api', interface: 'charges', path: '/v1/notification/', ...fault })
const answering = (...entries: { id: number; status: string }[]) =>
  order({ fault: 'broken_body', body: JSON.stringify({ code: 200, data: entries }) })

/** A query is under way, and met the ordered fault. */
const faultMet = () => until(() => running.simulator.sites.sandbox.faults.list().some(({ changed }) => changed > 0))

interface Settings {
  readonly dailyBudget?: number | null
  readonly resolveWithinMs?: number
}

interface Options {
  readonly file?: string
  readonly clock?: { now: number }
  /** null: without the section `service`. */
  readonly settings?: Settings | null
  readonly changed?: (store: Store) => Partial<Store>
}

/** The jobs of a gateway in sandbox, with a clock that the test moves. */
async function startJobs({ file = temporaryDatabase(), clock = { now: NOON }, settings = {}, changed }: Options = {}) {
  const opened = await openTestStore({ file })
  const store = { ...opened, ...changed?.(opened) }
  const lines: LogLine[] = []
  const announced: unknown[] = []
  const queries: string[] = []
  const newClient = () => {
    const client = clientOf(running, { now: () => clock.now, onRequest: ({ outcome }) => void queries.push(outcome) })
    onTestFinished(() => client.close())
    return client
  }
  const site = { settings, client: newClient() }
  const service = (): ServiceInUse | null => {
    if (site.settings === null) return null
    const { dailyBudget = null, resolveWithinMs = 6 * HOUR } = site.settings
    const section = { resolveTokens: true, baseAddresses: { charges: 'https://x' }, resolveWithinMs }
    return { settings: { ...section, dailyBudgets: { notifications: dailyBudget } } } as unknown as ServiceInUse
  }
  const jobs = resolveNotifications({
    realms: ENVIRONMENTS,
    kinds: [],
    store,
    log: recordingLog(lines),
    now: () => clock.now,
    clients: { of: (environment) => (environment === 'sandbox' && site.settings !== null ? site.client : null) },
    service: (environment) => (environment === 'sandbox' ? service() : null),
    announce: (_destinationIds, events) => void announced.push(...events),
    traffic: { resolved: () => undefined },
  })
  let stopped: Promise<void> | undefined
  const stop = () =>
    (stopped ??= (async () => {
      await jobs.stop()
      await opened.close()
    })())
  onTestFinished(stop)

  async function receive(token: string, changes: Partial<NewCallback> = {}): Promise<void> {
    const callback = aTokenCallback(token, { environment: 'sandbox', receivedAt: clock.now, ...changes })
    jobs.onStored(await store.storeCallback(callback), callback)
  }
  const wake = () => jobs.onStored({ ...NOTHING, tokenId: 0 }, aTokenCallback('-', { environment: 'sandbox' }))
  const waiting = () => store.listWaitingTokens({ environment: 'sandbox' }, 100)
  return {
    store,
    clock,
    lines,
    announced,
    queries,
    site,
    jobs,
    stop,
    receive,
    waiting,
    newClient,
    /** What becomes true without the clock. */
    waitingFor: (isReached: (found: Awaited<ReturnType<typeof waiting>>) => boolean) => until(waiting, isReached),
    done: () => until(waiting, ({ length }) => length === 0),
    advance(ms: number) {
      clock.now += ms
      wake()
    },
    wake,
    /** Status and source of all events. */
    async events() {
      const { events } = await store.listEvents({}, 100)
      return events.map(({ status, subject, source }) => (source === 'resolved' ? status : [source, subject]))
    },
    /** Lines are written behind the commit. */
    named: (event: string) =>
      until(
        () => lines.filter((line) => line.event === event),
        ({ length }) => length > 0,
      ),
  }
}

const NOTHING = { callbackId: null, eventIds: [], duplicates: 0, destinationIds: [] }

describe('a token that waits', () => {
  it('becomes an event per entry, announced when they are committed', async () => {
    addEntries('t', 'new', 'paid')
    const { receive, done, store, announced, queries, named } = await startJobs()
    await receive('t')
    await done()
    const { events } = await store.listEvents({}, 9)
    expect(events.map(({ body }) => Buffer.from(body).toString())).toEqual([
      expect.stringMatching(
        /^\{"notification":\{"token":"t","entries":\[\{"id":1,"type":"charge",.*"current":"new".*\}\]\}\}$/,
      ),
      expect.stringMatching(
        /^\{"notification":\{"token":"t","entries":\[\{"id":2,"type":"charge",.*"current":"paid".*\}\]\}\}$/,
      ),
    ])
    const event = { kind: 'charge', environment: 'sandbox', subject: '77', receivedAt: NOON }
    await named('token.resolved')
    expect(announced).toEqual([
      { ...event, status: 'new' },
      { ...event, status: 'paid' },
    ])
    expect(queries).toEqual(['success'])
    expect(await named('token.resolved')).toMatchObject([
      { environment: 'sandbox', events: events.map(({ id }) => id) },
    ])
    expect(JSON.stringify(await named('token.resolved'))).not.toContain('"t"')
  })

  it('is asked for again if a callback joined while the service answered', async () => {
    addEntries('t', 'new')
    await order({ fault: 'late_answer', delayMs: 300 })
    const { receive, advance, waiting, events } = await startJobs()
    await receive('t')
    await faultMet()
    await receive('t')
    addEntries('t', 'paid')
    await until(async () => {
      advance(MINUTE)
      return (await waiting()).length === 0
    })
    expect(await events()).toEqual(['new', 'paid'])
  })

  it('is asked for again twice if its callback led to no new entry, which may be late', async () => {
    addEntries('t', 'new')
    const { receive, done, advance, waitingFor, events, queries, waiting } = await startJobs()
    await receive('t')
    await done()
    addEntries('t', 'paid')
    await answering({ id: 1, status: 'new' })
    await receive('t')
    await waitingFor(([job]) => job?.attempts === 1)
    expect(await waiting()).toMatchObject([{ nextAttemptAt: NOON + 5 * SECOND, lastError: null }])
    advance(5 * SECOND)
    await done()
    expect(await events()).toEqual(['new', 'paid'])

    queries.length = 0
    await receive('t')
    await waitingFor(([job]) => job?.attempts === 1)
    advance(5 * SECOND)
    await waitingFor(([job]) => job?.attempts === 2)
    advance(MINUTE)
    await done()
    expect(queries).toEqual(['success', 'success', 'success'])
    expect(await events()).toEqual(['new', 'paid'])
  })

  it('is asked for again if entries are missing between others', async () => {
    addEntries('t', 'new', 'waiting', 'paid')
    await answering({ id: 1, status: 'new' }, { id: 3, status: 'paid' })
    const { receive, done, advance, waitingFor, events } = await startJobs()
    await receive('t')
    await waitingFor(([job]) => (job?.nextAttemptAt ?? 0) > NOON)
    expect(await events()).toEqual(['new', 'paid'])
    advance(5 * SECOND)
    await done()
    expect(await events()).toEqual(['new', 'paid', 'waiting'])
  })

  it('survives a stop in the middle of a query, which ends the query', async () => {
    addEntries('t', 'new')
    await order({ fault: 'timeout', afterMs: 600_000 })
    const file = temporaryDatabase()
    const first = await startJobs({ file })
    await first.receive('t')
    await faultMet()
    await first.stop()
    const second = await startJobs({ file })
    await second.done()
    expect(await second.events()).toEqual(['new'])
  })
})

describe('a token that waited while no gateway ran', () => {
  /** A token with an entry, received by a gateway that ended before it asked. */
  async function startLater(hours: number) {
    addEntries('t', 'new')
    const file = temporaryDatabase()
    const before = await openTestStore({ file })
    await before.storeCallback(aTokenCallback('t', { environment: 'sandbox', receivedAt: NOON }))
    await before.close()
    return startJobs({ file, clock: { now: NOON + hours * HOUR } })
  }

  it('is asked for before it becomes an event, however long it waited', async () => {
    const { done, events } = await startLater(7)
    await done()
    expect(await events()).toEqual(['new'])
  })

  it('becomes an event while the service fails, and is asked for as soon as the service answers', async () => {
    await order({ fault: 'server_error', count: null })
    const { advance, waitingFor, events, done } = await startLater(7)
    await waitingFor(([job]) => job?.isUnresolved === true)
    expect(await events()).toEqual([['unresolved', 't']])
    await running.control('DELETE', '/faults')
    advance(6 * MINUTE)
    await done()
    expect(await events()).toEqual([['unresolved', 't'], 'new'])
  })
})

describe('a token that the service does not know', () => {
  it('is asked for less and less often, becomes an event after the limit, and its entries follow', async () => {
    const { receive, advance, waitingFor, waiting, events, clock, named, done, store } = await startJobs()
    await receive('late')
    const waits: number[] = []
    for (let attempts = 1; clock.now < NOON + 6 * HOUR; attempts++) {
      const [job] = await waitingFor(([one]) => one?.attempts === attempts)
      expect(job).toMatchObject({ isUnresolved: false, lastError: expect.stringContaining('HTTP 404') })
      waits.push((job?.nextAttemptAt ?? 0) - clock.now)
      advance(waits.at(-1) ?? 0)
    }
    expect(clock.now).toBe(NOON + 6 * HOUR)
    expect(waits.length).toBeLessThan(40)
    expect(waits[0]).toBeLessThan(3 * SECOND)
    expect(Math.max(...waits)).toBeLessThanOrEqual(36 * MINUTE)
    await waitingFor(([job]) => job?.isUnresolved === true)
    expect(await events()).toEqual([['unresolved', 'late']])
    const [event] = (await store.listEvents({}, 9)).events
    expect(event).toMatchObject({ authentication: 'path-token', receivedAt: clock.now, status: null })
    expect(await named('token.unresolved')).toMatchObject([
      { level: 'warn', environment: 'sandbox', events: [event?.id] },
    ])
    expect((await waiting())[0]?.nextAttemptAt).toBeGreaterThan(clock.now + HOUR)

    addEntries('late', 'new')
    advance(2 * HOUR)
    await done()
    expect(await events()).toEqual([['unresolved', 'late'], 'new'])
  })

  it('is given up after 30 days, and asked for when another callback comes', async () => {
    const { receive, advance, waitingFor, events, named, done } = await startJobs()
    await receive('t')
    await waitingFor(([job]) => job?.attempts === 1)
    advance(30 * DAY)
    await done()
    expect(await named('token.given_up')).toMatchObject([{ level: 'error', hint: expect.stringContaining('30 days') }])
    expect(await events()).toEqual([['unresolved', 't']])
    addEntries('t', 'new')
    await receive('t')
    await done()
    expect(await events()).toEqual([['unresolved', 't'], 'new'])
  })

  it('never uses the whole budget: a fifth is kept for tokens that were not asked for', async () => {
    const { receive, advance, waitingFor, waiting, events, queries } = await startJobs({
      settings: { dailyBudget: 10 },
    })
    for (const token of ['a', 'b', 'c', 'd']) await receive(token)
    await waitingFor((jobs) => jobs.every(({ attempts }) => attempts === 1))
    for (let step = 0; step < 3; step++) {
      advance(MINUTE)
      await until(waiting, (jobs) => jobs.every(({ nextAttemptAt }) => nextAttemptAt > 0) && queries.length > 4)
    }
    await until(
      () => queries.length,
      (count) => count === 8,
    )
    addEntries('good', 'new')
    await receive('good')
    await until(events, (found) => found.includes('new'))
    expect(queries.length).toBe(9)
  })
})

describe('queries', () => {
  it('for a flood of unknown tokens leave a fifth of the day to tokens that were asked for before', async () => {
    const { receive, advance, waitingFor, queries, store, events, clock } = await startJobs({
      settings: { dailyBudget: 20 },
    })
    await receive('earlier')
    await waitingFor(([job]) => job?.attempts === 1)
    addEntries('earlier', 'new')
    // Its next query is due before those of the others.
    advance(SECOND)
    for (let number = 0; number < 40; number++) await receive(`unknown${number}`)
    await until(
      () => queries.length,
      (count) => count >= 15,
    )
    expect((await events()).length).toBeLessThanOrEqual(1)
    advance(MINUTE)
    await until(events, (found) => found.includes('new'))
    await until(
      () => store.budgetUsed('sandbox', 'notifications', new Date(clock.now).toISOString().slice(0, 10)),
      (used) => used <= 20,
    )
  })

  it('for a flood of unknown tokens of one sender leave something for a token of another sender', async () => {
    const { receive, waitingFor, events, named } = await startJobs({ settings: { dailyBudget: 20 } })
    for (let number = 0; number < 40; number++) await receive(`unknown${number}`, { remoteAddress: '203.0.113.9' })
    await waitingFor((jobs) => jobs.filter(({ attempts }) => attempts > 0).length >= 15)
    addEntries('real', 'new')
    await receive('real', { remoteAddress: '198.51.100.7' })
    await until(events, (found) => found.includes('new'))
    expect(await named('tokens.sender_used_up')).toMatchObject([
      { level: 'warn', environment: 'sandbox', remoteAddress: '203.0.113.9', limit: 20 },
    ])
  })

  it('of tokens that wait behind a flood begin with one of each sender', async () => {
    const queries: string[] = []
    await order({ fault: 'rate_limited', retryAfter: 1800, count: null })
    const { receive, advance, events, named, site, newClient } = await startJobs({
      changed: (store) => ({
        settleToken(outcome) {
          queries.push(outcome.error ?? 'found')
          return store.settleToken(outcome)
        },
      }),
    })
    await receive('first', { remoteAddress: '203.0.113.9' })
    await named('tokens.held_back')
    for (let number = 0; number < 200; number++) await receive(`unknown${number}`, { remoteAddress: '203.0.113.9' })
    addEntries('real', 'new')
    await receive('real', { remoteAddress: '198.51.100.7' })
    await running.control('DELETE', '/faults')
    site.client = newClient()
    advance(30 * MINUTE)
    await until(events, (found) => found.includes('new'))
    expect(queries.length).toBeLessThan(64)
  })

  it('end for the day with the budget, and tokens become events in time nevertheless', async () => {
    const tokens = ['a', 'b', 'c']
    for (const token of tokens) addEntries(token, token)
    const { receive, advance, waitingFor, events, clock, named, store, done } = await startJobs({
      settings: { dailyBudget: 2 },
    })
    for (const token of tokens) await receive(token)
    await waitingFor(({ length }) => length === 1)
    expect(await named('tokens.budget_used_up')).toMatchObject([{ level: 'warn', environment: 'sandbox', limit: 2 }])
    expect(await store.budgetUsed('sandbox', 'notifications', '2026-01-15')).toBe(2)
    advance(6 * HOUR)
    await waitingFor(([job]) => job?.isUnresolved === true)
    const resolved = (await events()).slice(0, 2)
    expect(new Set([...resolved, 'c'])).toEqual(new Set(tokens))
    expect((await events()).slice(2)).toEqual([['unresolved', 'c']])
    expect(new Date(clock.now).getUTCDate()).toBe(15)
    advance(8 * HOUR)
    await done()
    expect((await events()).slice(2)).toEqual([['unresolved', 'c'], 'c'])
    expect(await store.budgetUsed('sandbox', 'notifications', '2026-01-16')).toBe(1)
  })

  it('wait as long as the service asks, all of them, and go on afterwards', async () => {
    const tokens = Array.from({ length: 5 }, (_, index) => `t${index}`)
    for (const token of tokens) addEntries(token, token)
    await order({ fault: 'rate_limited', retryAfter: 1800, count: null })
    const { receive, advance, waiting, events, named, queries, done, wake, site, newClient } = await startJobs()
    await receive('t0')
    await named('tokens.held_back')
    expect((await named('tokens.held_back'))[0]?.waitMs).toBeGreaterThan(29 * MINUTE)
    for (const token of tokens.slice(1)) await receive(token)
    await running.control('DELETE', '/faults')
    advance(20 * MINUTE)
    wake()
    expect(await waiting()).toHaveLength(5)
    expect(queries.filter((outcome) => outcome === 'rate_limited')).toHaveLength(1)
    // The client measures the same wait by a clock that no test moves.
    site.client = newClient()
    advance(10 * MINUTE)
    await done()
    expect((await events()).toSorted()).toEqual(tokens)
    expect(await named('tokens.resumed')).toHaveLength(1)
  })

  it.each(['garbage', 'server_error', 'cut_in_answer', 'cut_before_request'])(
    'fail by %s without a loss',
    async (fault) => {
      addEntries('a', 'A')
      addEntries('b', 'B')
      await order({ fault, count: 3 })
      const { receive, advance, events, named, waiting } = await startJobs()
      await receive('a')
      await receive('b')
      await until(async () => {
        advance(MINUTE)
        return (await waiting()).length === 0
      })
      expect((await events()).toSorted()).toEqual(['A', 'B'])
      expect(await named('tokens.held_back')).toMatchObject([{ level: 'warn', error: expect.any(String) }])
      expect(await named('tokens.resumed')).toHaveLength(1)
    },
  )

  it('are made one at a time while the service fails', async () => {
    await order({ fault: 'timeout', afterMs: 200, count: null })
    const { receive, advance, waiting } = await startJobs()
    for (const token of ['a', 'b', 'c', 'd']) await receive(token)
    const begun = () => running.simulator.sites.sandbox.faults.list()[0]?.met ?? 0
    const ended = async () => (await waiting()).reduce((sum, { attempts }) => sum + attempts, 0)
    await until(async () => begun() > 0 && (await ended()) === begun())
    const before = begun()
    advance(10 * MINUTE)
    await until(async () => (await ended()) > before)
    expect(begun()).toBe(before + 1)
  })

  it('are not repeated while the database refuses what they brought', async () => {
    addEntries('t', 'new')
    let failures = 3
    const { receive, advance, events, named, queries, waiting } = await startJobs({
      changed: (store) => ({
        async settleToken(outcome) {
          if (failures-- > 0) throw new PortariaError('store_unavailable', 'the disk fails')
          return store.settleToken(outcome)
        },
      }),
    })
    await receive('t')
    await named('tokens.delayed')
    // In this time a job without a hold would ask again.
    for (let times = 0; times < 10; times++) await running.control('GET', '/faults')
    expect(queries).toEqual(['success'])
    await until(async () => {
      advance(MINUTE)
      return (await waiting()).length === 0
    })
    expect(queries).toHaveLength(4)
    expect(await events()).toEqual(['new'])
  })
})

describe('without the section service', () => {
  it('tokens that wait become events as they came, after 6 hours, and are resolved when it is back', async () => {
    addEntries('t', 'new')
    const jobs = await startJobs({ settings: null })
    const { receive, advance, waitingFor, events, site, done, queries } = jobs
    expect(jobs.jobs.resolvesTokens('sandbox')).toBe(false)
    await receive('t')
    await waitingFor(([job]) => job?.attempts === 1)
    advance(6 * HOUR)
    await waitingFor(([job]) => job?.isUnresolved === true)
    expect([await events(), queries]).toEqual([[['unresolved', 't']], []])
    site.settings = {}
    advance(DAY)
    await done()
    expect(await events()).toEqual([['unresolved', 't'], 'new'])
  })
})
