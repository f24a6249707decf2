import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Store } from '../../src/domain/store.ts'
import { COMMAND } from '../../src/platform/installation.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aCallback, aDestination, aFact, NOON } from '../support/builders.ts'
import { BASE_CALLBACKS, createSite, type TestSite } from '../support/gateway.ts'
import { indexAll } from '../support/search.ts'
import { CALLBACK_TEXTS, type CallbackKind } from '../support/search-callbacks.ts'
import { linesOf, portaria } from './program.ts'

async function withStore(fill: (store: Store) => Promise<void>): Promise<TestSite> {
  const site = await createSite()
  const store = await openStore({
    file: join(site.folder, 'data/portaria.db'),
    deduplicationWindowMs: 86_400_000,
    queue: { events: 5000, bytes: 1 << 26 },
  })
  await fill(store)
  await store.close()
  return site
}

function store(store: Store, kind: CallbackKind, subject: string, changes: Parameters<typeof aCallback>[0] = {}) {
  return store.storeCallback(
    aCallback({ kind, text: CALLBACK_TEXTS[kind], facts: [aFact({ kind, subject, status: 'pago' })], ...changes }),
  )
}

it('events find shows what a payment is, and whether it was delivered; words are joined, filters combine', async () => {
  const site = await withStore(async (opened) => {
    await store(opened, 'payment', '784512')
    await opened.createDestination(aDestination({ kinds: ['charge', 'registration'] }), NOON)
    await store(opened, 'charge', '1000001', { receivedAt: NOON + 1000 })
    await store(opened, 'registration', '9f8e', { environment: 'sandbox', receivedAt: NOON + 2000 })
    await indexAll(opened)
  })
  const find = (...args: string[]) => portaria(site, 'events', 'find', ...args)
  const [lines, portuguese, table, json, amount, words, filtered, id, nothing] = await Promise.all([
    find('150,10'),
    find('150,10', '--lang', 'pt'),
    find('150,10', '--events'),
    find('R$ 150,10', '--json', '--events'),
    find('150.10', '--json', '--limit', '1'),
    find('pedido', '77/B', '--json', '--kind', 'charge', '--environment', 'production', '--status', 'pago'),
    find('conta_aberta', '--json', '--environment', 'production'),
    find('evt_1', '--json'),
    find('150,11'),
  ])
  const cellsOf = ({ stdout }: { stdout: string }) =>
    stdout
      .split('\n')
      .slice(0, 3)
      .map((line) => line.trim().split(/ {2,}/).slice(1))
  expect(cellsOf(lines)).toEqual([
    ['reference', 'kind', 'environment', 'payer', 'amount', 'status', 'where'],
    ['1000001', 'charge', 'production', '-', '150.10', 'pago', 'on its way to books'],
    ['784512', 'payment', 'production', '-', '150.10', 'pago', 'no destination asked for it'],
  ])
  expect(cellsOf(portuguese).map((cells) => cells.at(-1))).toEqual([
    'where',
    'a caminho de books',
    'nenhum destino pediu',
  ])
  expect(table.code).toBe(0)
  expect(
    table.stdout
      .split('\n')
      .slice(0, 3)
      .map((line) => line.trim().split(/ {2,}/).slice(2)),
  ).toEqual([
    ['kind', 'environment', 'reference', 'status', 'amount', 'delivered'],
    ['charge', 'production', '1000001', 'pago', '150.10', '1 waiting'],
    ['payment', 'production', '784512', 'pago', '150.10', 'no destination'],
  ])
  expect(linesOf(json)).toMatchObject([
    { subject: '1000001', amount: '150.10', deliveries: { pending: 1, delivered: 0 } },
    { subject: '784512', amount: '150.10', deliveries: { pending: 0 } },
  ])
  expect([amount, words, id].map((ended) => linesOf<{ subject: string }>(ended).map(({ subject }) => subject))).toEqual(
    [['1000001'], ['1000001'], ['784512']],
  )
  expect([filtered, nothing].map(({ code, stdout }) => [code, stdout])).toEqual([
    [1, ''],
    [1, 'no event has all of these words\n'],
  ])
})

it('events find and events show read a byte order mark, and the charset of the content type', async () => {
  const ids: string[] = []
  const site = await withStore(async (opened) => {
    const text = '{"identificador":"8812","valor":"150.10","nome":"João"}'
    const inLatin1 = { body: Buffer.from(text, 'latin1'), contentType: 'application/json; charset=ISO-8859-1' }
    for (const callback of [inLatin1, { body: Buffer.from(`\ufeff${text}`) }])
      ids.push(...(await opened.storeCallback(aCallback(callback))).eventIds)
    await indexAll(opened)
  })
  const found = linesOf<{ amount: string }>(await portaria(site, 'events', 'find', '8812', '--events', '--json'))
  expect(found.map(({ amount }) => amount)).toEqual(['150.10', '150.10'])
  const shown = await Promise.all(
    ids.flatMap((id) => [portaria(site, 'events', 'show', id), portaria(site, 'events', 'show', id, '--evidence')]),
  )
  for (const { stdout } of shown)
    expect(stdout).toContain('\n  {"identificador":"8812","valor":"150.10","nome":"João"}\n')
})

it('events find says what the index does not hold, and why nothing was found', async () => {
  const site = await withStore(async (opened) => {
    await store(opened, 'payment', '784512')
    await indexAll(opened)
    await store(opened, 'charge', '1000001')
  })
  const find = (...args: string[]) => portaria(site, 'events', 'find', ...args)
  const [found, short, empty, unknown] = await Promise.all([
    find('insuficiente', '--json'),
    find('insu', 'sal'),
    find('R$'),
    find('insuficiente', '--kind', 'paiment'),
  ])
  expect([found.code, linesOf(found).length]).toEqual([0, 1])
  expect(found.stderr).toContain('one event is not in the search index yet, the oldest for ')
  expect(found.stderr).toContain(`("${COMMAND} events list" shows them)`)
  expect([short.code, short.stdout]).toEqual([1, 'no event has all of these words\n'])
  expect(short.stderr).toContain('a word of fewer than 4 characters matches whole words only: type more of it')
  expect([empty.code, empty.stdout]).toEqual([2, ''])
  expect(empty.stderr).toContain('the search has no letter and no digit: type a value of the payload')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("no event has kind 'paiment'")])
})

it('events find names the kinds that the configuration leaves out', async () => {
  const kinds = { payment: { path: '/p', search: 'off' } }
  const trust = [{ environment: 'production', chain: 'certs/trust/bank-a.pem' }]
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, kinds },
    institutions: [{ name: 'bank-a', trust, kinds }],
  })
  const store = await openStore({
    file: join(site.folder, 'data/portaria.db'),
    deduplicationWindowMs: 86_400_000,
    queue: { events: 5000, bytes: 1 << 26 },
  })
  await store.close()
  const ended = await Promise.all([
    portaria(site, 'events', 'find', 'joao'),
    portaria(site, 'events', 'find', 'joao', '--institution', 'bank-a'),
  ])
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
    [1, 'the configuration leaves out of the search: payment, bank-a/payment (search: off)\n'],
    [
      1,
      "no event has institution 'bank-a'\nthe configuration leaves out of the search: bank-a/payment (search: off)\n",
    ],
  ])
})
