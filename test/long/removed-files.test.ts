import { spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkStorage } from '../../src/cli/check/storage.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { linesOf, portaria } from '../cli/program.ts'
import { allEvents, callApi, callBack, keepAliveAgent } from '../support/calls.ts'
import { atNight } from '../support/campaign.ts'
import { createSite, type SpawnedGateway, spawnGateway, startTestGateway, type TestSite } from '../support/gateway.ts'
import { databaseFile } from '../support/store.ts'
import { until } from '../support/until.ts'

interface Harm {
  readonly name: string
  /** In the data folder. */
  readonly command: string
  /** What `serve` says at the next start; null: it starts. */
  readonly refuses: RegExp | null
  /** What the operator does about it. */
  readonly mend: (site: TestSite) => Promise<unknown> | unknown
  /** Callbacks that were acknowledged before may be lost, and only after the operator has agreed. */
  readonly isLossy?: boolean
}

const dataOf = (site: TestSite) => join(site.folder, 'data')
const restoreRescued = async (site: TestSite) => {
  const rescued = readdirSync(dataOf(site)).find((name) => name.includes('.rescued-')) as string
  expect(await portaria(site, 'storage', 'restore', join(dataOf(site), rescued), '--yes')).toMatchObject({ code: 0 })
}

const REMOVED: Harm[] = [
  {
    name: 'rm -rf of all in the data folder',
    command: 'rm -rf ./*',
    refuses: /is not there, but the database that was here held events up to position \d+/,
    mend: restoreRescued,
  },
]

const MOVED: Harm[] = [
  {
    name: 'mv of the data folder',
    command: 'mv ../data ../moved',
    refuses: /is not there, but the database that was here held events up to position \d+/,
    mend(site) {
      rmSync(dataOf(site), { recursive: true })
      renameSync(join(site.folder, 'moved'), dataOf(site))
    },
  },
  { name: 'rm of the log', command: 'rm portaria.db-wal', refuses: null, mend: () => undefined },
]

const CUT_OFF: Harm[] = [
  {
    name: 'truncate of the log',
    command: 'truncate -s 0 portaria.db-wal',
    refuses: /may be damaged: .*-wal was cut off or overwritten, while the gateway ran/,
    mend: async (site) => {
      // What is left is sound; whether something of its end is missing depends on the last checkpoint.
      const [verification] = linesOf(await portaria(site, 'storage', 'verify', '--json'))
      const problems = (verification?.problems ?? []) as string[]
      for (const problem of problems) expect(problem).toMatch(/ends at position|holds less than/)
      expect(await portaria(site, 'storage', 'confirm-loss', '--yes')).toMatchObject({ code: 0 })
    },
    isLossy: true,
  },
]

describe('files removed or cut off under the running gateway', () => {
  it.each([...REMOVED, ...CUT_OFF, ...atNight(MOVED)])(
    '$name: no 200 that a restart loses unseen',
    async ({ command, refuses, mend, isLossy = false }) => {
      const site = await createSite()
      const gateway = await spawnGateway(site)
      const acknowledged = new Map<string, number>()
      const statuses = new Set<number>()
      const load = callUntilCut(site, gateway, (subject, status) => {
        statuses.add(status)
        if (status === 200) acknowledged.set(subject, performance.now())
      })
      await until(() => acknowledged.size > 50)
      expect(spawnSync('sh', ['-c', command], { cwd: dataOf(site) }).status).toBe(0)
      expect(await gateway.exited).toBe(1)
      await load

      const others = ['node.outdated', 'callback.not_stored']
      const errors = gateway.lines.filter(({ level, event }) => level === 'error' && !others.includes(event))
      expect(errors).toMatchObject([
        { event: 'store.lost', error: expect.stringMatching(/portaria\.db.* by another program/) },
      ])
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
      if (refuses !== null)
        for (const args of [['serve'], ['events', 'list']])
          expect(await portaria(site, ...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(refuses) })
      await mend(site)

      const next = await spawnGateway(site)
      const stored = new Set((await allEvents(next.api)).map(({ subject }) => subject))
      const lost = [...acknowledged.keys()].filter((subject) => !stored.has(subject))
      if (!isLossy) expect(lost).toEqual([])
      next.process.kill('SIGTERM')
      expect(await next.exited).toBe(0)
    },
  )

  it('from then on a callback gets 503, and the gateway is not ready', async () => {
    const gateway = await startTestGateway()
    expect((await callBack(gateway, { body: '{"identificador":"a"}' })).status).toBe(200)
    rmSync(databaseFile(gateway.config))
    expect((await gateway.lost).message).toMatch(/all that it held is saved as .*: bin\/portaria storage restore /)
    expect((await callBack(gateway, { body: '{"identificador":"b"}' })).status).toBe(503)
    expect((await callApi(gateway.api, '/readyz')).status).toBe(503)
  })
})

describe('a loss that an operator confirms', () => {
  it('makes a new database only then; each poller is informed once, and no position is given twice', async () => {
    const site = await createSite()
    const first = await startTestGateway(site)
    for (const subject of ['a', 'b', 'c']) await callBack(first, { body: `{"identificador":"${subject}"}` })
    const { next: cursor } = await poll(first.api, '')
    await first.stop()
    rmSync(databaseFile(first.config))

    const commands = [
      ['serve'],
      ['events', 'list'],
      ['destinations', 'create', 'http://127.0.0.1:9/'],
      ['storage', 'verify'],
    ]
    for (const args of [...commands, ['storage', 'stats'], ['storage', 'backup', join(site.folder, 'backup.db')]])
      expect(await portaria(site, ...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(NOT_THERE) })
    const findings = await checkedStorage(site)
    expect(findings.filter(({ level }) => level === 'problem')).toMatchObject([
      { what: 'database', found: expect.stringMatching(NOT_THERE) },
    ])
    expect(readdirSync(dataOf(site)).filter((name) => /\.db$|-wal$/.test(name))).toEqual([])
    expect(await portaria(site, 'storage', 'confirm-loss')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/give up missing events up to position 3, .* add --yes/),
    })
    const confirmed = await portaria(site, 'storage', 'confirm-loss', '--yes', '--json')
    expect(linesOf(confirmed)).toMatchObject([{ knownPosition: 3, position: 0 }])
    expect(await portaria(site, 'storage', 'confirm-loss', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no loss is known'),
    })

    const second = await startTestGateway(site)
    await callBack(second, { body: '{"identificador":"d"}' })
    const told = await poll(second.api, cursor)
    expect(told.status).toBe(410)
    await expect(poll(second.api, told.next)).resolves.toMatchObject({ status: 200, subjects: ['d'] })
    await second.stop()
    expect((await portaria(site, 'storage', 'verify', '--chain')).code).toBe(0)
  })

  it('overrules nothing that cannot be used', async () => {
    const site = await createSite()
    await (await startTestGateway(site)).stop()
    writeFileSync(join(dataOf(site), 'portaria.db'), 'something else'.repeat(100))
    expect(await portaria(site, 'storage', 'confirm-loss', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is no SQLite database'),
    })
  })
})

const NOT_THERE = /is not there, but the database that was here held events up to position 3/

function checkedStorage(site: TestSite) {
  const config = loadConfig(site.configFile)
  return checkStorage(
    { config, now: new Date(), days: 30, authorities: null, progress: () => undefined, isQuiet: true },
    10_000,
  )
}

describe('one database, two names', () => {
  it('a second gateway through a link is refused; commands through it reach the first', async () => {
    const site = await createSite()
    await (await startTestGateway(site)).stop()
    const database = join(dataOf(site), 'portaria.db')
    const elsewhere = join(site.folder, 'elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(database, join(elsewhere, 'portaria.db'))
    const other = siteWith(site, 'elsewhere/portaria.db')
    const gateway = await spawnGateway(site)

    expect(await portaria(other, 'serve')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/another portaria process owns .*data\/portaria\.db/),
    })
    const created = await portaria(other, 'destinations', 'create', 'http://127.0.0.1:9/hook', '--name', 'books')
    expect(created).toMatchObject({ code: 0 })
    expect((await callApi(gateway.api, '/v1/destinations/books')).status).toBe(200)
    expect(readdirSync(elsewhere)).toEqual(['portaria.db'])
    gateway.process.kill('SIGTERM')
    await gateway.exited

    linkSync(database, join(elsewhere, 'hard.db'))
    for (const one of [site, siteWith(site, 'elsewhere/hard.db')])
      expect(await portaria(one, 'serve')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('has 2 names (hard links), through which two gateways could own it'),
      })
  })

  it('check finds a gateway that holds another file open than the one that is there', async () => {
    const site = await createSite()
    await (await startTestGateway(site)).stop()
    const file = join(dataOf(site), 'portaria.db')
    const answer = JSON.stringify({ version: '0', database: { file, inode: '1:1' }, passed: {} })
    const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(answer))
    server.listen(join(dataOf(site), 'control.sock'))
    onTestFinished(() => void server.close())

    expect(await checkedStorage(site)).toContainEqual(
      expect.objectContaining({
        what: 'open database',
        level: 'problem',
        found: expect.stringContaining('the running gateway has another file open than'),
      }),
    )
  })

  it('a restore that was broken off is reported, and the next restore goes on', async () => {
    const site = await createSite()
    const gateway = await startTestGateway(site)
    await callBack(gateway, { body: '{"identificador":"a"}' })
    const backup = join(site.folder, 'backup.db')
    expect((await portaria(site, 'storage', 'backup', backup)).code).toBe(0)
    await gateway.stop()
    const file = databaseFile(gateway.config)
    linkSync(file, `${file}.before-restore-2026-01-15T120000000Z`)

    expect((await portaria(site, 'serve')).stderr).toContain('a restore was broken off before it had replaced anything')
    expect(await portaria(site, 'storage', 'restore', backup, '--yes')).toMatchObject({ code: 0 })
    const after = await startTestGateway(site)
    expect((await poll(after.api, '')).subjects).toEqual(['a'])
    await after.stop()
    linkSync(file, join(site.folder, 'other.db'))
    expect(await portaria(site, 'storage', 'restore', backup, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has 2 names'),
    })
  })
})

/** The same site with its database under another name. */
function siteWith(site: TestSite, database: string): TestSite {
  const configFile = join(site.folder, `${database.replaceAll('/', '-')}.yaml`)
  writeFileSync(configFile, readFileSync(site.configFile, 'utf8').replace('data/portaria.db', database))
  return { ...site, configFile }
}

async function poll(api: SpawnedGateway['api'], after: string) {
  const { status, body } = await callApi(api, `/v1/events${after === '' ? '' : `?after=${after}`}`)
  const { data = [], next } = JSON.parse(body) as { data?: { subject: string; id: string }[]; next: string }
  return { status, subjects: data.map(({ subject }) => subject), next }
}

async function callUntilCut(
  site: TestSite,
  { callbacks }: SpawnedGateway,
  onAnswer: (subject: string, status: number) => void,
): Promise<void> {
  const agent = keepAliveAgent(site, 1)
  for (let n = 0; ; n++) {
    const subject = `s${n}`
    const answer = await callBack({ callbacks, site }, { body: `{"identificador":"${subject}"}`, agent }).catch(
      () => null,
    )
    if (answer === null) break
    onAnswer(subject, answer.status)
    await wait(5)
  }
  agent.destroy()
}
