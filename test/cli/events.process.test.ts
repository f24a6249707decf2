import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/domain/store.ts'
import { COMMAND } from '../../src/platform/installation.ts'
import { openStore } from '../../src/store/open-store.ts'
import { anEntry, anOutcome, aTokenCallback } from '../store/contract/token-contract.ts'
import { aCallback, aDestination, aFact, anInterpretedCallback, NOON } from '../support/builders.ts'
import { createSite, MAIN, type TestSite } from '../support/gateway.ts'
import { inShell, linesOf, portaria } from './program.ts'

/** A database with what `fill` puts into it; the store is closed again unless it is kept open. */
async function withStore(fill: (store: Store) => Promise<void>): Promise<TestSite> {
  const site = await createSite()
  const store = await open(site)
  await fill(store)
  await store.close()
  return site
}

function open(site: TestSite): Promise<Store> {
  return openStore({
    file: join(site.folder, 'data/portaria.db'),
    deduplicationWindowMs: 86_400_000,
    queue: { events: 5000, bytes: 1 << 26 },
  })
}

interface Line {
  readonly id: string
  readonly subject: string | null
}

const ESCAPE = '\u001b]0;owned\u0007\u009b31m\u202e\r\n'

it('events list shows the newest first, filtered, as many as asked for, and streams JSON lines', async () => {
  const site = await withStore(async (store) => {
    await store.createDestination(aDestination({ kinds: ['charge'] }), NOON)
    const facts = [
      { kind: 'payment', subject: '1' },
      { kind: 'charge', subject: '2' },
      { kind: 'probe', subject: '3' },
      { kind: 'payment', subject: '4' },
    ]
    for (const [i, fact] of facts.entries()) {
      const environment = i === 3 ? 'sandbox' : 'production'
      await store.storeCallback(
        aCallback({ text: `{"i":${i}}`, environment, receivedAt: NOON + i * 1000, facts: [aFact(fact)] }),
      )
    }
  })
  const list = (...args: string[]) => portaria(site, 'events', 'list', ...args)
  const [table, everything, limited, oldest, kinds, filtered, none] = await Promise.all([
    list(),
    list('--json'),
    list('--json', '--limit', '2'),
    list('--json', '--limit', '2', '--order', 'asc'),
    list('--json', '--kind', 'probe', '--kind', 'charge', '--state', 'pending'),
    list('--json', '--environment', 'producao', '--subject', '1', '--from', '2026-01-15', '--to', '2027-01-01'),
    list('--from', '1s'),
  ])
  const subjects = [everything, limited, oldest, kinds, filtered].map((ended) =>
    linesOf<Line>(ended).map((e) => e.subject),
  )
  expect(subjects).toEqual([['4', '2', '1'], ['4', '2'], ['1', '2'], ['2'], ['1']])
  expect(table.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['received', 'id', 'kind', 'environment', 'subject', 'status', 'part', 'mark', 'duplicates'],
    ...['4', '2', '1'].map((subject) => [
      ...[`2026-01-15 12:00:0${Number(subject) - 1}Z`, expect.stringMatching(/^evt_/)],
      ...[subject === '2' ? 'charge' : 'payment', subject === '4' ? 'sandbox' : 'production', subject],
      ...['LIQUIDADO', '-', '-', '0'],
    ]),
    [''],
  ])
  expect([none.code, none.stdout, none.stderr]).toEqual([0, 'no events\n', ''])
})

it('events list and show say which events came of a charge token, and show both the entry and the callback', async () => {
  const ids: string[] = []
  const site = await withStore(async (store) => {
    for (const token of ['known', 'unknown']) {
      const { tokenId = 0 } = await store.storeCallback(aTokenCallback(token))
      const job = { id: tokenId, version: 1 }
      const outcome =
        token === 'known'
          ? { entries: [anEntry(1)] }
          : { error: 'HTTP 404', nextAttemptAt: NOON + 1e9, isUnresolved: true }
      ids.push(...(await store.settleToken(anOutcome(job, outcome))).eventIds)
    }
  })
  const [table, json, shown, raw] = await Promise.all([
    portaria(site, 'events', 'list'),
    portaria(site, 'events', 'list', '--json'),
    portaria(site, 'events', 'show', ids[0] ?? ''),
    portaria(site, 'events', 'show', ids[0] ?? '', '--raw'),
  ])
  expect(table.stdout.split('\n').map((line) => line.split(/ {2,}/).slice(4, 8))).toEqual([
    ['subject', 'status', 'part', 'mark'],
    ['unknown', '-', '-', 'unresolved'],
    ['77', 'paid', '-', 'resolved'],
    [],
  ])
  expect(linesOf(json)).toMatchObject([
    { source: 'callback', unresolved: true, authentication: 'path-token', mark: null },
    { source: 'resolved', unresolved: false, authentication: 'service', mark: null },
  ])
  expect(shown.stdout).toMatch(/source +resolved/)
  expect(shown.stdout).toContain('data\n  {"notification":{"token":"t","entries":[{"id":1}]}}')
  expect(raw.stdout).toBe('notification=known')
})

it('a kind that there is not is named with those there are; one that only old events have is found', async () => {
  const site = await withStore(async (store) => {
    await store.storeCallback(aCallback({ text: '{}', facts: [aFact({ kind: 'former', subject: 'old' })] }))
  })
  const [list, former] = await Promise.all([
    portaria(site, 'events', 'list', '--kind', 'payment', '--kind', 'paymnet'),
    portaria(site, 'events', 'list', '--kind', 'former', '--json'),
  ])
  expect(list).toMatchObject({ code: 0, stdout: 'no events\n' })
  expect(list.stderr).toContain("no event has kind 'paymnet'; kinds of this gateway: registration, payment, charge, ")
  expect(linesOf<Line>(former).map(({ subject }) => subject)).toEqual(['old'])
})

it('an empty list says on standard error what no event has ever had', async () => {
  const site = await withStore(async (store) => {
    await store.storeCallback(aCallback({ text: '{}', facts: [aFact({ status: 'LIQUIDADO' })] }))
  })
  const list = (...args: string[]) => portaria(site, 'events', 'list', ...args)
  const [status, kind, environment, found, json] = await Promise.all([
    list('--status', 'liquidado\u001b'),
    list('--kind', 'registration'),
    list('--environment', 'sandbox', '--order', 'asc'),
    list('--status', 'LIQUIDADO', '--json'),
    list('--environment', 'sandbox', '--json'),
  ])
  const hints = [status, kind, environment].map(({ code, stdout, stderr }) => [code, stdout, stderr])
  expect(hints).toEqual([
    [0, 'no events\n', "no event has status 'liquidado\\u001b'; statuses: LIQUIDADO\n"],
    [0, 'no events\n', "no event has kind 'registration' yet\n"],
    [0, 'no events\n', "no event has environment 'sandbox'\n"],
  ])
  expect([linesOf(found).length, found.stderr]).toEqual([1, ''])
  expect([json.code, json.stdout, json.stderr]).toEqual([0, '', "no event has environment 'sandbox'\n"])
})

it('events show gives the whole story of one event, and its bytes exactly', async () => {
  const original = '{"valor":150.10,"pix":[{"txid":"a"}, {"txid":"b"}]}\r\n'
  const ids: string[] = []
  const site = await withStore(async (store) => {
    const { id } = await store.createDestination(aDestination(), NOON)
    ids.push(...(await store.storeCallback(anInterpretedCallback(original, ['/pix']))).eventIds)
    ids.push(...(await store.storeCallback(aCallback({ body: Buffer.from([0, 0xff, 0x1b, 0x0a]) }))).eventIds)
    const now = Date.now()
    await store.claimDeliveries({
      destinationId: id,
      limit: 1,
      now,
      leaseUntil: now + 60_000,
      freshSince: 0,
      backlogLimit: 100,
    })
    const attempt = {
      deliveryId: 1,
      attempt: 1,
      startedAt: NOON,
      durationMs: 12,
      status: 503,
      error: 'answered HTTP 503',
    }
    await store.recordAttempts([
      {
        ...attempt,
        answer: Buffer.from('invalid\n\u001b[2Jsignature'),
        result: { state: 'exhausted', reason: 'schedule used up' },
      },
    ])
  })
  const show = (...args: string[]) => portaria(site, 'events', 'show', ...args)
  const [text, json, raw, binary, unknown, deliveries, none] = await Promise.all([
    show(ids[0] as string),
    show(ids[0] as string, '--json'),
    show(ids[0] as string, '--raw'),
    show(ids[2] as string, '--raw'),
    show('evt_1_0000000000'),
    portaria(site, 'deliveries', 'list', '--json', '--destination', 'books', '--state', 'exhausted'),
    portaria(site, 'deliveries', 'list', '--destination', 'unknown'),
  ])
  expect([raw.bytes, binary.bytes]).toEqual([Buffer.from(original), Buffer.from([0, 0xff, 0x1b, 0x0a])])
  for (const part of ['part            1/2', '{"valor":150.10,"pix":[{"txid":"a"}]}', 'delivery dlv_1'])
    expect(text.stdout).toContain(part)
  expect(text.stdout).toMatch(/^the caller's certificate\n {2}fingerprint {5}\S+\n {2}serial {10}\S+\n/m)
  expect(text.stdout).toMatch(/^headers\n( {2}\S+ +[^[{\n]+\n)+data\n/m)
  expect(text.stdout).not.toMatch(/BEGIN CERTIFICATE|\[\[/)
  expect(text.stdout).toContain(
    '  attempt 1  2026-01-15 12:00:00.000Z  12 ms  503  answered HTTP 503: invalid \ufffd[2Jsignature\n',
  )
  expect(text.stdout).toContain('lastAnswer      invalid \ufffd[2Jsignature\n')
  expect(json.stdout).toContain('"data":{"valor":150.10,"pix":[{"txid":"a"}]}')
  expect(JSON.parse(json.stdout)).toMatchObject({
    id: ids[0],
    evidence: { callback: 'clb_1', bytes: Buffer.byteLength(original) },
    deliveries: [
      { id: 'dlv_1', state: 'exhausted', latestAttempts: [{ attempt: 1, answer: 'invalid \ufffd[2Jsignature' }] },
    ],
  })
  expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: 'portaria: there is no event evt_1_0000000000\n' })
  expect(linesOf(deliveries)).toMatchObject([
    { id: 'dlv_1', event: ids[0], state: 'exhausted', reason: 'schedule used up', attempts: 1 },
  ])
  expect(none).toMatchObject({
    code: 1,
    stderr: `portaria: there is no destination unknown: ${COMMAND} destinations list shows all\n`,
  })
})

it('deliveries list shows the newest first, as many as asked for', async () => {
  const site = await withStore(async (store) => {
    await store.createDestination(aDestination(), NOON)
    for (let i = 0; i < 3; i++) await store.storeCallback(aCallback({ text: `{"i":${i}}` }))
  })
  const [table, limited, none] = await Promise.all([
    portaria(site, 'deliveries', 'list'),
    portaria(site, 'deliveries', 'list', '--json', '--limit', '2'),
    portaria(site, 'deliveries', 'list', '--state', 'delivered'),
  ])
  expect(linesOf<Line>(limited).map(({ id }) => id)).toEqual(['dlv_3', 'dlv_2'])
  expect(table.stdout.split('\n').map((line) => line.split(/ {2,}/)[1])).toEqual([
    'id',
    'dlv_3',
    'dlv_2',
    'dlv_1',
    undefined,
  ])
  expect([none.stdout, none.stderr]).toEqual(['no deliveries\n', "no delivery has state 'delivered'\n"])
})

it('what untrusted callers wrote never steers the terminal, and JSON still means the same', async () => {
  const ids: string[] = []
  const body = JSON.stringify({ identificador: ESCAPE })
  const site = await withStore(async (store) => {
    const facts = [aFact({ subject: ESCAPE, status: ESCAPE })]
    ids.push(...(await store.storeCallback(aCallback({ text: body, facts }))).eventIds)
  })
  const [table, json, text, shown] = await Promise.all([
    portaria(site, 'events', 'list'),
    portaria(site, 'events', 'list', '--json'),
    portaria(site, 'events', 'show', ids[0] as string),
    portaria(site, 'events', 'show', ids[0] as string, '--json'),
  ])
  for (const { code, stdout } of [table, json, text, shown]) {
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
  }
  expect(table.stdout.split('\n')).toHaveLength(3)
  expect(linesOf<Line>(json).map(({ subject }) => subject)).toEqual([ESCAPE])
  expect(JSON.parse(shown.stdout)).toMatchObject({ subject: ESCAPE, data: { identificador: ESCAPE } })
})

it('a reader that has seen enough is no error', async () => {
  const site = await withStore(async (store) => {
    const filling = { status: 'x'.repeat(500) }
    const callbacks = Array.from({ length: 1500 }, (_, i) =>
      aCallback({ text: `{"i":${i}}`, facts: [aFact({ subject: String(i), ...filling })] }),
    )
    await Promise.all(callbacks.map((callback) => store.storeCallback(callback)))
  })
  const exit = 'echo $PIPESTATUS'
  const [json, table] = await Promise.all([
    inShell(site, `portaria events list --json --limit 1500 | head -1; ${exit}`),
    inShell(site, `portaria events list --limit 1500 | head -1; ${exit}`),
  ])
  expect([json.stderr, table.stderr]).toEqual(['', ''])
  expect([json, table].map(({ stdout }) => stdout.split('\n').slice(1))).toEqual(Array(2).fill(['0', '']))
})

it('events tail shows what comes from now on, filtered, until it is asked to stop', async () => {
  const site = await createSite()
  const store = await open(site)
  onTestFinished(() => store.close())
  await store.storeCallback(aCallback({ text: '{"before":1}' }))
  const env = { PATH: process.env.PATH, PORTARIA_CONFIG: site.configFile }
  const child = spawn(process.execPath, [MAIN, 'events', 'tail', '--kind', 'payment'], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => String((await lines.next()).value).split(/ {2,}/)
  expect((await next()).slice(0, 5)).toEqual(['received', 'id', 'kind', 'environment', 'subject'])
  await store.storeCallback(aCallback({ text: '{"i":1}', facts: [aFact({ kind: 'charge', subject: 'other' })] }))
  await store.storeCallback(aCallback({ text: '{"i":2}', facts: [aFact({ subject: `mine${ESCAPE}` })] }))
  expect((await next())[4]).toBe('mine\\u001b]0;owned\\u0007\\u009b31m\\u202e\\u000d\\u000a')
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])))
  child.kill('SIGINT')
  expect(await ended).toEqual([0, null])
})

it('a period is --from and --to in local time, tables show local time, JSON UTC', async () => {
  const site = await withStore(async (store) => {
    for (const minute of [0, 1, 2])
      await store.storeCallback(
        aCallback({
          text: `{"i":${minute}}`,
          receivedAt: NOON + minute * 60_000,
          facts: [aFact({ subject: `s${minute}` })],
        }),
      )
  })
  const inZone = (line: string) => inShell(site, `export TZ=America/Sao_Paulo; portaria ${line}`)
  const period = '--from "2026-01-15 09:01" --to 2026-01-15T12:02:00Z'
  const [table, json, exported, day] = await Promise.all([
    inZone(`events list ${period}`),
    inZone(`events list ${period} --json`),
    inZone(`storage export ${period}`),
    inZone('events list --json --from 2026-01-15 --to 2026-01-16'),
  ])
  expect(table.stdout.split('\n')[1]).toMatch(/^2026-01-15 09:01:00-03:00 {2}evt_\S+ .* s1 /)
  expect(table.stdout.split('\n')).toHaveLength(3)
  expect(linesOf(json)).toMatchObject([{ subject: 's1', receivedAt: '2026-01-15T12:01:00.000Z' }])
  expect(linesOf(exported)).toMatchObject([{ subject: 's1', receivedAt: '2026-01-15T12:01:00.000Z' }])
  expect(linesOf(day)).toHaveLength(3)
  const [id] = linesOf<Line>(json).map((line) => line.id)
  expect((await inZone(`events show ${id}`)).stdout).toMatch(/\n {2}receivedAt +2026-01-15 09:01:00\.000-03:00\n/)
})

it('a time that is none, or a period that is empty, is refused with what to write', async () => {
  const site = await createSite()
  const [twice, none, empty, day] = await Promise.all([
    inShell(site, 'export TZ=Europe/Berlin; portaria refusals list --from "2026-10-25 02:30"'),
    portaria(site, 'replays', 'create', '--destination', 'books', '--to', 'now'),
    portaria(site, 'events', 'list', '--from', '2h', '--to', '3h'),
    inShell(site, 'export TZ=America/Sao_Paulo; portaria deliveries list --from 2026-11-22 --to 2026-11-22'),
  ])
  for (const ended of [twice, none, empty, day]) expect([ended.code, ended.stdout]).toEqual([2, ''])
  expect(twice.stderr).toContain('write "2026-10-25T02:30+02:00" or "2026-10-25T02:30+01:00".\n')
  expect(none.stderr).toContain(
    `argument 'now' is invalid. It must be a time such as "2026-11-22 10:00", 2026-11-22 or 2026-11-22T10:00:00-03:00, or an age such as 2h.`,
  )
  expect(empty.stderr).toMatch(/^error: --from .+ is not before --to .+, and --to is not included\n/)
  expect(day.stderr).toContain('--from 2026-11-22 00:00:00-03:00 is not before --to 2026-11-22 00:00:00-03:00')
})

it('a list whose reader has gone ends quietly', async () => {
  const site = await withStore(async (store) => {
    for (let i = 0; i < 40; i++)
      await store.storeCallback(aCallback({ text: `{"i":${i}}`, facts: [aFact({ subject: 'x'.repeat(250) })] }))
  })
  const script =
    'set -o pipefail; for more in "" --json; do portaria events list $more | head -n 2 | cut -c1-2; echo $?; done'
  const { stdout, stderr } = await inShell(site, script)
  expect([stdout, stderr]).toEqual(['re\n20\n0\n{"\n{"\n0\n', ''])
})
