import { expect, it } from 'vitest'
import { withReader } from '../../../src/cli/reader.ts'
import { linesOf, portaria } from '../../cli/program.ts'
import { callApi, callBack } from '../../support/calls.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { BASE_CALLBACKS, createSite, startTestGateway } from '../../support/gateway.ts'
import { CALLBACK_TEXTS, type CallbackKind, valuesIn } from '../../support/search-callbacks.ts'
import { until } from '../../support/until.ts'

const LIMIT_MS = 60_000
/** The indexer leaves a busy machine to others. */
const INDEXED_WITHIN_MS = 30_000

const KINDS = {
  ...BASE_CALLBACKS.kinds,
  payment: { path: '/callbacks/payment' },
  openBanking: { path: '/callbacks/open-banking' },
  instantPayment: { path: '/callbacks/instant-payment', split: ['/pix'] },
  secret: { path: '/callbacks/secret', split: ['/list'], search: { exclude: ['/senha'] } },
  silent: { path: '/callbacks/silent', search: 'off' },
}

interface Page {
  readonly data: { readonly id: string; readonly kind: string; readonly subject: string | null }[]
  readonly next: string
  readonly more: boolean
  readonly hint?: string
}

async function startSearched(): Promise<TestGateway> {
  return startTestGateway(await createSite({ callbacks: { ...BASE_CALLBACKS, kinds: KINDS } }))
}

/** Until every event is in the index. */
async function indexed({ config }: TestGateway): Promise<void> {
  await withReader(config, (reader) =>
    until(
      () => reader.readSearchState(Date.now()),
      ({ lagEvents, latest }) => lagEvents === 0 && latest > 0,
      INDEXED_WITHIN_MS,
    ),
  )
}

async function search(
  { api }: TestGateway,
  text: string,
  { query = '', token }: { query?: string; token?: string } = {},
) {
  const path = `/v1/events?search=${encodeURIComponent(text)}${query}`
  const answer = await callApi(api, path, { ...(token !== undefined && { token }) })
  expect([text, answer.status]).toEqual([text, 200])
  return JSON.parse(answer.body) as Page
}

const kindsOf = (page: Page) => page.data.map(({ kind }) => kind)

async function tokenOf({ api }: TestGateway, environment: string): Promise<string> {
  const body = { name: environment, environment, scopes: ['events.read'] }
  const created = JSON.parse((await callApi(api, '/v1/clients', { method: 'POST', body })).body)
  const response = await fetch(`http://127.0.0.1:${api.port}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: created.clientId,
      client_secret: created.clientSecret,
    }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

it('every value of a callback of every known kind is found by API and command line, whatever came over mutual TLS', {
  timeout: LIMIT_MS,
}, async () => {
  const gateway = await startSearched()
  for (const [kind, body] of Object.entries(CALLBACK_TEXTS) as [CallbackKind, string][])
    expect((await callBack(gateway, { path: KINDS[kind].path, body })).status).toBe(200)
  await indexed(gateway)
  const missing: string[] = []
  for (const [kind, body] of Object.entries(CALLBACK_TEXTS))
    for (const value of valuesIn(body)) {
      const page = await search(gateway, value)
      if (!kindsOf(page).includes(kind) || page.more) missing.push(`${kind}: ${value}`)
    }
  expect(missing).toEqual([])
  const find = (...args: string[]) => portaria(gateway.site, 'events', 'find', '--json', ...args)
  const found = await Promise.all([
    find('CONTA_ABERTA'),
    find('saldo', 'insuficiente'),
    find('Pedido nº 77/B'),
    find('1.234,56'),
    find('conceição', 'D’ávila', '12345678909'),
    find('R$ 150,10', '--kind', 'charge'),
  ])
  expect(
    found.map((ended) =>
      linesOf<{ kind: string; amount: string | null }>(ended).map(({ kind, amount }) => [kind, amount]),
    ),
  ).toEqual([
    [['registration', null]],
    [['payment', '150.10']],
    [['charge', '150.10']],
    [['openBanking', '1234.56']],
    [['instantPayment', '99.90']],
    [['charge', '150.10']],
  ])
})

it('excluded members, kinds without search, other environments and redacted events are not found', {
  timeout: LIMIT_MS,
}, async () => {
  const gateway = await startSearched()
  const secrets =
    '{"list":[{"identificador":"a1","senha":"geheim11"},{"identificador":"a2","senha":"geheim22","ok":"sichtbar"}],"senha":"geheim33"}'
  await callBack(gateway, { path: KINDS.secret.path, body: secrets })
  await callBack(gateway, { path: KINDS.silent.path, body: '{"identificador":"b1","x":"unhoerbar"}' })
  await callBack(gateway, { body: '{"identificador":"c1","nome":"Maria Produção"}' })
  await callBack(gateway, { body: '{"identificador":"c2","nome":"Maria Sandbox"}', environment: 'sandbox' })
  await indexed(gateway)
  const counts: Record<string, number> = {}
  for (const text of ['geheim', 'geheim11', 'geheim33', 'unhoerbar', 'sichtbar', 'maria'])
    counts[text] = (await search(gateway, text)).data.length
  expect(counts).toEqual({ geheim: 0, geheim11: 0, geheim33: 0, unhoerbar: 0, sichtbar: 1, maria: 2 })

  const [production, sandbox] = await Promise.all([tokenOf(gateway, 'production'), tokenOf(gateway, 'sandbox')])
  const subjects = async (text: string, token: string) =>
    (await search(gateway, text, { token })).data.map(({ subject }) => subject)
  expect(await Promise.all([subjects('maria', production), subjects('maria', sandbox)])).toEqual([['c1'], ['c2']])
  expect(await Promise.all([subjects('sandbox', production), subjects('produção', sandbox)])).toEqual([[], []])
  const foreign = (await search(gateway, 'sandbox')).data[0]?.id ?? ''
  expect((await search(gateway, foreign, { token: production })).data).toEqual([])
  expect((await search(gateway, foreign, { token: sandbox })).data.map(({ id }) => id)).toEqual([foreign])

  await callApi(gateway.api, '/v1/storage/redact', { method: 'POST', body: { subject: 'c1' } })
  await indexed(gateway)
  expect((await search(gateway, 'maria')).data.map(({ subject }) => subject)).toEqual(['c2'])
})

it('pages of a search miss and repeat nothing while new events come', { timeout: LIMIT_MS }, async () => {
  const gateway = await startSearched()
  const total = 90
  const send = (i: number) =>
    callBack(gateway, { body: `{"identificador":"n${i}","nome":"Página ${i}","par":"${i % 2}"}` })
  await Promise.all(Array.from({ length: total }, (_, i) => send(i)))
  await indexed(gateway)
  const seen: string[] = []
  for (let after = '', more = true; more; ) {
    const page = await search(gateway, 'pagina', { query: `&limit=7${after === '' ? '' : `&after=${after}`}` })
    seen.push(...page.data.map(({ subject }) => String(subject)))
    await Promise.all([send(1000 + seen.length), send(2000 + seen.length)])
    ;({ next: after, more } = page)
  }
  expect(seen.toSorted()).toEqual(Array.from({ length: total }, (_, i) => `n${i}`).toSorted())
})

it('odd texts get an answer, never an error of the gateway', { timeout: LIMIT_MS }, async () => {
  const gateway = await startSearched()
  const text = '\'; drop table events; -- <script>alert("x")</script> %_*\\ NEAR AND OR'
  await callBack(gateway, {
    body: JSON.stringify({ identificador: 'odd', text, emoji: '👩‍👩‍👧 família 日本語 الهاتف' }),
  })
  await indexed(gateway)
  const finds = async (searched: string) => (await search(gateway, searched)).data.length
  expect(await finds("'; drop table events; --")).toBe(1)
  expect(await finds('<script>alert("x")</script>')).toBe(1)
  expect(await finds('near and or')).toBe(1)
  expect(await finds('日本語 الهاتف familia')).toBe(1)
  expect(await finds('%drop%')).toBe(1)
  expect(await finds('tabl* "drop')).toBe(1)
  expect(await finds('a b c d e f g h i j')).toBe(0)
  const statuses: number[] = []
  for (const odd of [
    '%',
    '\u0000',
    '\ud800',
    '👩‍👩‍👧',
    '"',
    'x'.repeat(201),
    'é'.repeat(200),
    '٣'.repeat(10),
    'ﬀ',
    'İ',
    '/'.repeat(200),
    '.'.repeat(199),
    `${'1 '.repeat(99)}`,
  ])
    statuses.push(
      (await callApi(gateway.api, `/v1/events?search=${odd === '\ud800' ? '%ED%A0%80' : encodeURIComponent(odd)}`))
        .status,
    )
  expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([])
})
