import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { openStore, openStoreReader } from '../../src/store/open-store.ts'
import { aDestination, anInterpretedCallback } from '../support/builders.ts'
import { createSite, startTestGateway, type TestSite } from '../support/gateway.ts'
import { databaseFile, storeOptionsOf } from '../support/store.ts'
import { linesOf, portaria } from './program.ts'

const DAY = 86_400_000
const RETENTION = {
  url: 'sqlite:data/portaria.db',
  minFreeSpace: '1MiB',
  retention: { payload: '7d', metadata: '30d' },
}

/** Events of the subjects `today`, `old` (10 days) and `ancient` (40 days), and a destination that gets the first. */
async function siteWithAges(): Promise<TestSite> {
  const site = await createSite({ storage: RETENTION })
  const store = await openStore(storeOptionsOf(loadConfig(site.configFile)))
  for (const [subject, days] of [
    ['ancient', 40],
    ['old', 10],
    ['today', 0],
  ] as const) {
    if (subject === 'today') await store.createDestination(aDestination(), Date.now())
    const callback = anInterpretedCallback(JSON.stringify({ identificador: subject }))
    await store.storeCallback({ ...callback, receivedAt: Date.now() - days * DAY })
  }
  await store.close()
  return site
}

async function dataOf(site: TestSite): Promise<(string | null)[]> {
  const reader = await openStoreReader(databaseFile(loadConfig(site.configFile)))
  const { events } = await reader.listEvents({}, 100)
  await reader.close()
  return events.map(({ subject, payloadRemovedAt }) => (payloadRemovedAt === null ? subject : `${subject} removed`))
}

it('prune removes where no gateway runs what is not kept any more; with --dry-run it only counts', async () => {
  const site = await siteWithAges()
  const counted = await portaria(site, 'storage', 'prune', '--dry-run')
  // The bodies {"identificador":"old"} and {"identificador":"ancient"}.
  const total = [
    '                 rows  request bodies',
    'data of events   2     50 bytes',
    'whole events     1     -',
    'whole callbacks  1     -',
    'total            4     50 bytes',
  ]
  expect([counted.code, counted.stdout.split('\n')]).toEqual([0, [...total, 'only counted, nothing was removed', '']])
  const count = { payloads: 2, bytes: 50, events: 1, callbacks: 1, kept: 0 }
  expect(linesOf(await portaria(site, 'storage', 'prune', '--dry-run', '--json'))).toEqual([count])
  expect(await dataOf(site)).toEqual(['ancient', 'old', 'today'])
  const pruned = await portaria(site, 'storage', 'prune')
  expect([pruned.code, pruned.stdout.split('\n'), pruned.stderr]).toEqual([0, [...total, 'removed', ''], ''])
  expect(await dataOf(site)).toEqual(['old removed', 'today'])
  const again = linesOf(await portaria(site, 'storage', 'prune', '--json'))
  const nothing = { payloads: 0, bytes: 0, events: 0, callbacks: 0, kept: 0 }
  expect(again).toEqual([{ state: 'done', ...nothing, problem: null }])
})

it('a dry run reads beside another owner of the database, and does not change it', async () => {
  const site = await siteWithAges()
  const database = join(site.folder, 'data/portaria.db')
  // Another command owns the database, so that no other process can open it for writing.
  const owner = new Database(`${database}.lock`)
  onTestFinished(() => void owner.close())
  owner.exec('begin exclusive')
  const digest = () => createHash('sha256').update(readFileSync(database)).digest('hex')
  const before = digest()
  const destination = aDestination().name
  // The delivery of the third event is still pending, so a replay leaves it out.
  const ended = await Promise.all([
    portaria(site, 'storage', 'prune', '--dry-run', '--json'),
    portaria(site, 'storage', 'redact', '--subject', 'old', '--dry-run', '--json'),
    portaria(site, 'replays', 'create', '--destination', destination, '--mode', 'all', '--dry-run', '--json'),
  ])
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(ended.map(() => [0, '']))
  expect(ended.map((one) => linesOf(one)[0])).toMatchObject([
    { payloads: 2, events: 1 },
    { events: 1, quarantined: 0, canceled: null },
    { matched: 2, destinationName: destination },
  ])
  expect(digest()).toBe(before)

  const unknown = await portaria(site, 'replays', 'create', '--destination', 'nobody', '--dry-run')
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('/destination: there is no such destination'),
  ])
})

it('redact asks before it removes; with --yes it removes, also beside a running gateway', async () => {
  const site = await siteWithAges()
  const of = (...args: string[]) => portaria(site, 'storage', 'redact', '--subject', 'today', ...args)
  const asked = await of()
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('add --yes')])
  expect(linesOf(await of('--dry-run', '--json'))).toMatchObject([{ events: 1, canceled: null }])
  expect((await of('--environment', 'sandbox', '--yes')).stdout).toMatch(/^redacted today in sandbox: events: 0/)
  expect(await dataOf(site)).toContain('today')

  await startTestGateway(site)
  const redacted = await of('--yes')
  expect([redacted.code, redacted.stdout]).toEqual([
    0,
    'redacted today: events: 1, facts that are or were in quarantine: 0; deliveries canceled: 1\nBackups, logs and copies that others received are not touched.\n',
  ])
  expect(await dataOf(site)).toContain('today removed')
  const shown = linesOf<{ id: string }>(await portaria(site, 'events', 'list', '--json', '--subject', 'today'))
  const { stdout, stderr } = await portaria(site, 'events', 'show', shown[0]?.id as string)
  expect(stdout).toMatch(/\ndata\n {2}removed on 20\d\d-/)
  const raw = await portaria(site, 'events', 'show', shown[0]?.id as string, '--raw')
  expect([stderr, raw.code, raw.stdout, raw.stderr]).toEqual(['', 1, '', expect.stringContaining('no longer stored')])
})
