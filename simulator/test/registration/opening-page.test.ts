import { beforeEach, expect, it } from 'vitest'
import { simulatorForFile } from '../running.ts'
import { changed, openingRequest } from './opening-request.ts'

const running = simulatorForFile({ servicePathSegment: 'gn' })
beforeEach(async () => {
  const { records, webhooks, applications } = running().simulator.sites.sandbox
  records.clear('sandbox.')
  const account = applications.list()[0]?.account ?? ''
  webhooks.register({ interface: 'registration', account, url: 'https://localhost:1/' })
})

async function linkFor(body: object): Promise<string> {
  await running().ask('registration', { method: 'POST', path: '/v1/conta-simplificada', body })
  const [{ link }] = (await running().control('GET', '/outbox?subject=account_opening&to=31987654321')).json.messages
  return link
}
const opening = async () => (await running().control('GET', '/openings')).json.openings[0]
/** As a browser sends a form, without a client certificate. */
const submit = (link: string, fields: [string, string][]) =>
  running().askRaw(link, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

const NEW_PERSON = changed({ clienteFinal: { cpf: '11144477735' } })

it('shows who asks for what, without a client certificate and without scripts', async () => {
  const { status, headers, text } = await running().askRaw(await linkFor(NEW_PERSON), {})
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-store',
  ])
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  for (const part of ['Integrator (sandbox)', 'Maria da Conceição', '11144477735', 'individual', 'gn.balance.read'])
    expect(text).toContain(part)
  expect(text).not.toMatch(/<script|type="radio"/)
})

it('accepts with a button', async () => {
  const link = await linkFor(NEW_PERSON)
  expect((await submit(link, [['answer', 'accept']])).text).toContain('You accepted')
  expect(await opening()).toMatchObject({ state: 'processing', as: 'new_account' })
  await running().control('POST', '/clock/advance', { by: '1m' })
  expect((await running().askRaw(link, {})).text).toContain('Your account is open')
})

it('refuses with a button, once', async () => {
  const link = await linkFor(NEW_PERSON)
  expect((await submit(link, [['answer', 'refuse']])).text).toContain('You refused')
  expect((await opening()).state).toBe('refused')
  const second = await submit(link, [['answer', 'accept']])
  expect([second.status, (await opening()).state]).toEqual([409, 'refused'])
  expect((await running().askRaw(link, {})).text).not.toContain('<form')
})

it('offers who has an account already an application in it, with the scopes of the request whatever the form says', async () => {
  const link = await linkFor(openingRequest())
  const { text } = await running().askRaw(link, {})
  expect(text).toContain('<option value="200002">200002-7 Second account (sandbox)</option>')
  expect(text).not.toContain('type="checkbox"')
  const fields: [string, string][] = [
    ['as', 'application'],
    ['account', '200002'],
    ['scope', 'pix.send'],
    ['answer', 'accept'],
  ]
  expect((await submit(link, fields)).status).toBe(200)
  await running().control('POST', '/clock/advance', { by: '1m' })
  const { account, clientId } = await opening()
  const application = running().simulator.sites.sandbox.applications.find(clientId)
  expect([account, application?.scopes]).toEqual(['200002', openingRequest().escoposIntegrados])
})

it('offers who has an account already a secondary one, which ignores the account beside it', async () => {
  const link = await linkFor(openingRequest())
  const fields: [string, string][] = [
    ['as', 'secondary_account'],
    ['account', '200002'],
    ['answer', 'accept'],
  ]
  expect((await submit(link, fields)).status).toBe(200)
  expect(await opening()).toMatchObject({ state: 'processing', as: 'secondary_account' })
})

it.each([
  ['nothing', []],
  ['another answer', [['answer', 'perhaps']]],
  [
    'another choice',
    [
      ['as', '"><script>'],
      ['answer', 'accept'],
    ],
  ],
  [
    'another account',
    [
      ['as', 'application'],
      ['account', '200001'],
      ['answer', 'accept'],
    ],
  ],
] as [string, [string, string][]][])('a form with %s is 400 and changes nothing', async (_what, fields) => {
  const { status, text } = await submit(await linkFor(openingRequest()), fields)
  expect([status, text.includes('<script>'), (await opening()).state]).toEqual([400, false, 'requested'])
})

it.each([
  [403, { origin: 'https://evil.example' }],
  [403, { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  [403, { 'sec-fetch-site': 'same-site' }],
  [200, { origin: 'null', 'sec-fetch-site': 'same-origin' }],
  [200, { origin: 'own' }],
])('a form is %i with %j', async (expected, { origin, ...headers }: Record<string, string>) => {
  const link = await linkFor(openingRequest())
  const sent = origin === 'own' ? new URL(link).origin : origin
  const { status } = await running().askRaw(link, {
    method: 'POST',
    body: 'answer=refuse',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(sent !== undefined && { origin: sent }),
      ...headers,
    },
  })
  expect([status, (await opening()).state]).toEqual([expected, expected === 403 ? 'requested' : 'refused'])
})

it('escapes what the request said', async () => {
  const razaoSocial = '"><script>alert(1)</script>'
  const { text } = await running().askRaw(
    await linkFor(changed({ clienteFinal: { cnpj: '12ABC34501DE35', razaoSocial } })),
    {},
  )
  expect(text).toContain('&#34;&#62;&#60;script&#62;')
  expect(text).not.toContain('<script>')
})

it('an unknown link is 404, and one of the other environment too', async () => {
  const link = await linkFor(NEW_PERSON)
  const { ports } = running().simulator
  const elsewhere = link.replace(String(ports.sandbox), String(ports.production))
  for (const url of [`${link}x`, elsewhere]) {
    expect((await running().askRaw(url, {})).status).toBe(404)
    expect((await submit(url, [['answer', 'accept']])).status).toBe(404)
  }
})

it('a form that is too large, or compressed, is answered with a page', async () => {
  const link = await linkFor(NEW_PERSON)
  const large = await submit(link, [['answer', 'x'.repeat(70_000)]])
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' }
  const compressed = await running().askRaw(link, { method: 'POST', body: 'x', headers })
  expect([large.status, compressed.status, large.headers['content-type']]).toEqual([
    413,
    415,
    'text/html; charset=utf-8',
  ])
})
