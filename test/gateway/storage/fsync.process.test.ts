import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, allEvents, callApi, callBack } from '../../support/calls.ts'
import {
  createSite,
  type SpawnedGateway,
  serviceCredentials,
  spawnGateway,
  type TestSite,
} from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { bytesOf, type SystemCall, systemCallsOf } from '../../support/system-calls.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const DELAY_MS = 150

/** strace must be there, and be allowed to attach to another process. */
const canTrace = spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0 && process.getuid?.() === 0

describe.skipIf(!canTrace)('what the disk got, as strace sees it (with strace, as root)', () => {
  it('every 200 leaves after a sync of the log that began after its request came', async () => {
    // Deliveries, too: what is claimed between two callbacks is committed without a sync of its own.
    const receiver = await startReceiver()
    const site = await createSite({ destinations: [{ name: 'books', url: receiver.url }] })
    const caller = await startWithCallers(6, { site })
    const trace = await attachTrace(caller.gateway, [`inject=fsync,fdatasync:delay_exit=${DELAY_MS * 1000}`])

    const answers = (await Promise.all([1, 2, 3].flatMap(() => caller.callOnEach()))).flat()
    const exchanges = exchangesOf(await trace.end(), caller.gateway.callbacks.port, caller.sent())

    expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 200))
    expect(Math.min(...answers.map(({ durationMs }) => durationMs))).toBeGreaterThanOrEqual(DELAY_MS)
    expect(exchanges).toHaveLength(answers.length)
    expect(exchanges.filter(({ isWritten, isSynced }) => !isWritten || !isSynced)).toEqual([])
    await until(() => receiver.received.length > answers.length)
  })

  it('64 connections: each 200 after the write of its callback and a sync behind it, one sync a commit, an event for each 200', async () => {
    const caller = await startWithCallers(64)
    const trace = await attachTrace(caller.gateway)

    const answers = [...(await caller.callOnEach()), ...(await caller.callOnEach()), ...(await caller.callOnEach())]
    const calls = await trace.end()
    const exchanges = exchangesOf(calls, caller.gateway.callbacks.port, caller.sent())
    const { syncs, commits } = syncsAndCommitsOf(calls)

    expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 200))
    expect(exchanges).toHaveLength(answers.length)
    expect(exchanges.filter(({ isWritten, isSynced }) => !isWritten || !isSynced)).toEqual([])
    expect(syncs).toBeGreaterThan(0)
    expect(syncs).toBeLessThanOrEqual(commits)
    expect(commits).toBeLessThanOrEqual(answers.length)
    const sent = [...caller.everSent()].sort()
    expect((await allEvents(caller.gateway.api)).map(({ subject }) => subject).sort()).toEqual(sent)
  })

  it('a log that is not synced at each commit is found out by the same check', async () => {
    const site = await createSite()
    const caller = await startWithCallers(2, { site, wrapper: withoutFullSync(site) })
    const trace = await attachTrace(caller.gateway)

    const answers = await caller.callOnEach()
    const exchanges = exchangesOf(await trace.end(), caller.gateway.callbacks.port, caller.sent())

    expect(answers.map(({ answer }) => answer.status)).toEqual([200, 200])
    expect(exchanges).toMatchObject([
      { isWritten: true, isSynced: false },
      { isWritten: true, isSynced: false },
    ])
  })

  it('a sync that fails once gives 503, and the store recovers by opening the database again', async () => {
    const caller = await startWithCallers(1)
    const trace = await attachTrace(caller.gateway, ['inject=fsync,fdatasync:error=EIO:when=1'])

    const refused = await caller.call('unlucky')
    await until(() => caller.gateway.lines.some((line) => line.event === 'store.recovered'))
    // Before the next callback: a load balancer sends none to a gateway that is not ready.
    const ready = await callApi(caller.gateway.api, '/readyz', { token: null })
    const repeated = await caller.call('unlucky')
    const other = await caller.call('lucky')
    await trace.end()

    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect([repeated.status, other.status]).toEqual([200, 200])
    const events = await allEvents(caller.gateway.api)
    expect(events.map(({ subject }) => subject).filter((subject) => subject?.endsWith('lucky'))).toEqual([
      'unlucky',
      'lucky',
    ])
    expect(ready.status).toBe(200)
  })

  it.each([
    ['the next callback', (caller: Caller) => caller.call('unlucky')],
    [
      'the clock, which is stored each minute',
      (caller: Caller) => callApi(caller.gateway.api, '/v1/storage/confirm-clock', { method: 'POST' }),
    ],
  ])('a write that finds no space gives 503, and the gateway is ready again after %s', async (_written, write) => {
    const caller = await startWithCallers(1)
    const isReady = async () => (await callApi(caller.gateway.api, '/readyz', { token: null })).status === 200
    const trace = await attachTrace(caller.gateway, ['inject=pwrite64:error=ENOSPC:when=1'])

    const refused = await caller.call('unlucky')
    const readyBetween = await isReady()
    const next = await write(caller)
    await trace.end()

    expect([refused.status, readyBetween, next.status, await isReady()]).toEqual([503, false, 200, true])
  })

  it('when every sync fails nothing is acknowledged, and the process ends for its supervisor', {
    timeout: 40_000,
  }, async () => {
    const caller = await startWithCallers(1)
    await attachTrace(caller.gateway, ['inject=fsync,fdatasync:error=EIO'])

    const statuses: (number | null)[] = []
    const ended = await until(
      async () => {
        statuses.push((await caller.call(`refused-${statuses.length}`).catch(() => null))?.status ?? null)
        return caller.gateway.process.exitCode
      },
      (code) => code !== null,
      30_000,
    )

    expect(ended).toBe(1)
    expect(statuses[0]).toBe(503)
    expect(new Set(statuses.filter((status) => status !== null))).toEqual(new Set([503]))
    expect(caller.gateway.lines.map(({ event }) => event)).toContain('store.lost')
  })
})

interface Caller {
  readonly gateway: SpawnedGateway
  call(subject: string): Promise<Answer>
  /** One call on each connection, all at once. */
  callOnEach(): Promise<{ answer: Answer; durationMs: number }[]>
  /** By `callOnEach`, but for the handshakes. */
  sent(): Sent
  /** All subjects by `callOnEach`. */
  everSent(): readonly string[]
}

/** The subjects that each connection sent, in order, by its port on this side. */
type Sent = ReadonlyMap<number, readonly string[]>

/** The real program and keep-alive connections to it whose handshakes are over. */
async function startWithCallers(
  connections: number,
  started: { site?: TestSite; wrapper?: readonly string[] } = {},
): Promise<Caller> {
  const site = started.site ?? (await createSite())
  const gateway = await spawnGateway(site, started.wrapper)
  const agents = Array.from(
    { length: connections },
    () => new Agent({ keepAlive: true, maxSockets: 1, servername: 'localhost', ...serviceCredentials(site) }),
  )
  onTestFinished(() => {
    for (const agent of agents) agent.destroy()
  })
  const subjects = agents.map((): string[] => [])
  let last = 0
  const callOn = (agent: Agent | undefined, subject: string) =>
    callBack(
      { callbacks: gateway.callbacks, site },
      { body: JSON.stringify({ identificador: subject }), ...(agent && { agent }) },
    )
  const callOnEach = () =>
    Promise.all(
      agents.map(async (agent, i) => {
        const subject = `call-${String(++last).padStart(6, '0')}`
        subjects[i]?.push(subject)
        const startedAt = performance.now()
        const answer = await callOn(agent, subject)
        return { answer, durationMs: performance.now() - startedAt }
      }),
    )
  await callOnEach()
  return {
    gateway,
    callOnEach,
    call: (subject) => callOn(agents[0], subject),
    sent: () => new Map(agents.map((agent, i) => [portOf(agent), subjects[i]?.slice(1) ?? []])),
    everSent: () => subjects.flat(),
  }
}

/** Of its one connection, which is free between two calls. */
function portOf(agent: Agent): number {
  return Object.values(agent.freeSockets)[0]?.[0]?.localPort ?? 0
}

interface Trace {
  /** Detaches; what was seen. */
  end(): Promise<SystemCall[]>
}

/** Attaches to the running program, so that `when=1` means its next sync and not one of its start. */
async function attachTrace(gateway: SpawnedGateway, expressions: readonly string[] = []): Promise<Trace> {
  const file = join(temporaryFolder(), 'strace.log')
  const wanted = 'trace=fsync,fdatasync,pwrite64,read,write,writev,sendto,sendmsg'
  const options = [wanted, ...expressions].flatMap((expression) => ['-e', expression])
  const strace = spawn(
    'strace',
    ['-f', '-ttt', '-T', '-yy', '-s', '8192', ...options, '-o', file, '-p', String(gateway.process.pid)],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const ended = once(strace, 'exit')
  const detach = async () => {
    strace.kill('SIGINT')
    await ended
  }
  onTestFinished(detach)
  await once(strace.stderr, 'data')
  return {
    async end() {
      // A caller has its answer before strace has seen that write end. The thread that wrote goes on, and answers this one, behind it.
      await callApi(gateway.api, '/readyz', { token: null })
      await detach()
      return systemCallsOf(readFileSync(file, 'latin1'))
    },
  }
}

interface Exchange {
  /** The connection, as strace writes it. */
  readonly connection: string
  /** Between the last byte in and the first byte out, the callback was written to the log. */
  readonly isWritten: boolean
  /** And after that write a sync of the log began and ended before the first byte out. */
  readonly isSynced: boolean
}

/** What each request on each connection to the port was answered after. `sent` are the subjects that each connection sent, in order, by its port. */
function exchangesOf(calls: readonly SystemCall[], port: number, sent: Sent): Exchange[] {
  const toLog = calls.filter(({ descriptor, result }) => descriptor.endsWith('-wal') && result >= 0)
  const syncs = toLog.filter(({ name }) => /sync$/.test(name))
  const writes = toLog.filter(({ name }) => name === 'pwrite64')
  const exchanges: Exchange[] = []
  const askedAt = new Map<string, number>()
  const answers = new Map<string, number>()
  for (const { name, descriptor, startedAt, endedAt, result } of calls) {
    const [, caller = ''] = new RegExp(`^TCP:\\[127.0.0.1:${port}->127.0.0.1:(\\d+)\\]$`).exec(descriptor) ?? []
    if (caller === '' || result <= 0) continue
    if (name === 'read') {
      askedAt.set(caller, endedAt)
      continue
    }
    const asked = askedAt.get(caller)
    if (asked === undefined) continue
    askedAt.delete(caller)
    const nth = answers.get(caller) ?? 0
    answers.set(caller, nth + 1)
    const subject = sent.get(Number(caller))?.[nth] ?? 'a subject that was not sent'
    const written = writes.find((write) => write.startedAt >= asked && write.text.includes(subject))
    const writtenAt = written?.endedAt ?? Number.POSITIVE_INFINITY
    const isSynced = syncs.some((sync) => sync.startedAt >= writtenAt && sync.endedAt <= startedAt)
    exchanges.push({ connection: descriptor, isWritten: writtenAt <= startedAt, isSynced })
  }
  return exchanges
}

/** Syncs of the log, and commits in it: frames whose header has a database size (sqlite.org/fileformat2.html, 4.1). */
function syncsAndCommitsOf(calls: readonly SystemCall[]): { syncs: number; commits: number } {
  const toLog = calls.filter(({ descriptor }) => descriptor.endsWith('-wal'))
  const headers = toLog.filter(({ name, result }) => name === 'pwrite64' && result === FRAME_HEADER_BYTES)
  return {
    syncs: toLog.filter(({ name }) => /sync$/.test(name)).length,
    commits: headers.filter(({ text }) => bytesOf(text).readUInt32BE(4) > 0).length,
  }
}

const FRAME_HEADER_BYTES = 24

/** The program with its one promise about the disk broken, from outside: the pragma never reaches SQLite as it was meant. */
function withoutFullSync(site: TestSite): string[] {
  const preload = join(site.folder, 'without-full-sync.mjs')
  const database = createRequire(import.meta.url).resolve('better-sqlite3')
  writeFileSync(
    preload,
    `import Database from ${JSON.stringify(pathToFileURL(database).href)}
     const { pragma } = Database.prototype
     Database.prototype.pragma = function (source, options) {
       return pragma.call(this, source.replace(/synchronous *= *FULL/i, 'synchronous = NORMAL'), options)
     }
`,
  )
  return ['env', `NODE_OPTIONS=--import=${pathToFileURL(preload).href}`]
}
