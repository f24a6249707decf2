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
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const DELAY_MS = 150

/** strace must be there, and be allowed to attach to another process. */
const canTrace = spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0 && process.getuid?.() === 0

describe.skipIf(!canTrace)('what the disk was told, as strace sees it (needs strace and root)', () => {
  it('every 200 leaves after a sync of the log that began after its request came', async () => {
    // Deliveries, too: what is claimed between two callbacks is committed without a sync of its own.
    const receiver = await startReceiver()
    const site = await createSite({ destinations: [{ name: 'books', url: receiver.url }] })
    const caller = await startWithCallers(6, { site })
    const trace = await attachTrace(caller.gateway, [`inject=fsync,fdatasync:delay_exit=${DELAY_MS * 1000}`])

    const answers = (await Promise.all([1, 2, 3].flatMap(() => caller.callOnEach()))).flat()
    const exchanges = exchangesOf(await trace.end(), caller.gateway.callbacks.port)

    expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 200))
    expect(Math.min(...answers.map(({ durationMs }) => durationMs))).toBeGreaterThanOrEqual(DELAY_MS)
    expect(exchanges).toHaveLength(answers.length)
    expect(exchanges.filter(({ isSynced }) => !isSynced)).toEqual([])
    await until(() => receiver.received.length > answers.length)
  })

  it('a log that is not synced at each commit is found out by the same check', async () => {
    const site = await createSite()
    const caller = await startWithCallers(2, { site, wrapper: withoutFullSync(site) })
    const trace = await attachTrace(caller.gateway)

    const answers = await caller.callOnEach()
    const exchanges = exchangesOf(await trace.end(), caller.gateway.callbacks.port)

    expect(answers.map(({ answer }) => answer.status)).toEqual([200, 200])
    expect(exchanges.map(({ isSynced }) => isSynced)).toEqual([false, false])
  })

  it('a sync that fails once gives 503, and the store recovers by opening the database again', async () => {
    const caller = await startWithCallers(1)
    const trace = await attachTrace(caller.gateway, ['inject=fsync,fdatasync:error=EIO:when=1'])

    const refused = await caller.call('unlucky')
    await until(() => caller.gateway.lines.some((line) => line.event === 'store.recovered'))
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
    expect((await callApi(caller.gateway.api, '/readyz', { token: null })).status).toBe(200)
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
}

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
  let last = 0
  const callOn = (agent: Agent | undefined, subject: string) =>
    callBack(
      { callbacks: gateway.callbacks, site },
      { body: JSON.stringify({ identificador: subject }), ...(agent && { agent }) },
    )
  const callOnEach = () =>
    Promise.all(
      agents.map(async (agent) => {
        const startedAt = performance.now()
        const answer = await callOn(agent, `call-${++last}`)
        return { answer, durationMs: performance.now() - startedAt }
      }),
    )
  await callOnEach()
  return { gateway, call: (subject) => callOn(agents[0], subject), callOnEach }
}

interface Trace {
  /** Detaches; what was seen. */
  end(): Promise<string>
}

/** Attaches to the running program, so that `when=1` means its next sync and not one of its start. */
async function attachTrace(gateway: SpawnedGateway, expressions: readonly string[] = []): Promise<Trace> {
  const file = join(temporaryFolder(), 'strace.log')
  const wanted = 'trace=fsync,fdatasync,read,write,writev,sendto,sendmsg'
  const options = [wanted, ...expressions].flatMap((expression) => ['-e', expression])
  const strace = spawn(
    'strace',
    ['-f', '-ttt', '-T', '-yy', '-s', '0', ...options, '-o', file, '-p', String(gateway.process.pid)],
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
      await detach()
      return readFileSync(file, 'utf8')
    },
  }
}

interface Exchange {
  /** The connection, as strace writes it. */
  readonly connection: string
  readonly isSynced: boolean
}

interface SystemCall {
  readonly name: string
  readonly descriptor: string
  readonly startedAt: number
  readonly endedAt: number
  readonly result: number
}

/** Requests and answers on each connection to the port: was the log synced, from beginning to end, between the last byte in and the first byte out? */
function exchangesOf(log: string, port: number): Exchange[] {
  const calls = systemCallsOf(log)
  const syncs = calls.filter(
    ({ name, descriptor, result }) => /sync$/.test(name) && descriptor.endsWith('-wal') && result === 0,
  )
  const exchanges: Exchange[] = []
  const askedAt = new Map<string, number>()
  for (const { name, descriptor, startedAt, endedAt, result } of calls) {
    if (!descriptor.startsWith(`TCP:[127.0.0.1:${port}->`) || result <= 0) continue
    if (name === 'read') {
      askedAt.set(descriptor, endedAt)
      continue
    }
    const asked = askedAt.get(descriptor)
    if (asked === undefined) continue
    askedAt.delete(descriptor)
    const isSynced = syncs.some((sync) => sync.startedAt >= asked && sync.endedAt <= startedAt)
    exchanges.push({ connection: descriptor, isSynced })
  }
  return exchanges
}

/** Lines of `strace -f -ttt -T -yy`, calls that were interrupted by others put together again, in order of their beginning. */
function systemCallsOf(log: string): SystemCall[] {
  const calls: SystemCall[] = []
  const unfinished = new Map<string, { name: string; descriptor: string; startedAt: number }>()
  for (const line of log.split('\n')) {
    const [, thread = '', time = '', rest = ''] = /^(\d+) +(\d+\.\d+) (.*)$/.exec(line) ?? []
    const startedAt = Number(time)
    const begun = /^(\w+)\(\d+<(.*?)>(?:,|\)| <unf)/.exec(rest)
    const resumed = /^<\.\.\. \w+ resumed>/.test(rest) ? unfinished.get(thread) : undefined
    const result = Number(/ = (-?\d+)/.exec(rest)?.[1] ?? Number.NaN)
    const took = Number(/<(\d+\.\d+)>$/.exec(rest)?.[1] ?? 0)
    if (begun !== null) {
      const call = { name: begun[1] as string, descriptor: begun[2] as string, startedAt }
      if (rest.endsWith('<unfinished ...>')) unfinished.set(thread, call)
      else calls.push({ ...call, endedAt: startedAt + took, result })
    } else if (resumed !== undefined) {
      calls.push({ ...resumed, endedAt: resumed.startedAt + took, result })
      unfinished.delete(thread)
    }
  }
  return calls.sort((one, other) => one.startedAt - other.startedAt)
}

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
