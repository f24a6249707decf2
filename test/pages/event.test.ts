import { expect, it } from 'vitest'
import type { Scope } from '../../src/domain/scopes.ts'
import { speaker } from '../../src/messages/speaker.ts'
import type { EventDetail } from '../../src/pages/event/model.ts'
import { prettyJson } from '../../src/pages/event/pretty-json.ts'
import { timeline } from '../../src/pages/event/timeline.ts'
import { cutText } from '../../src/pages/parts/cut-text.ts'
import { callApi, callBack } from '../support/calls.ts'
import { HARM, UNREADABLE } from '../support/pages/callbacks.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { newClient, type SharedGateway, sharedGateway, TestBrowser } from './browser.ts'

const shared = sharedGateway()

async function newestEvent(gateway: SharedGateway, kind = 'payment'): Promise<string> {
  const list = await callApi(gateway.api, `/v1/events?order=desc&limit=1&kind=${kind}`)
  return (JSON.parse(list.body) as { data: { id: string }[] }).data[0]?.id as string
}

async function operatorOf(gateway: SharedGateway): Promise<TestBrowser> {
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  return browser
}

it('the page of an event shows its way, its payload with every digit, and no markup of it', async () => {
  const gateway = shared()
  await callBack(gateway, { body: '{}' })
  await callBack(gateway, { body: '{"identificador":"<b>7</b>","valor":150.10,"x":[{},[],[1,{"a":null}]]}' })
  const browser = await operatorOf(gateway)
  const id = await newestEvent(gateway)
  const { status, body } = await browser.get(`/ui/events/${id}`)
  expect(status).toBe(200)
  expect(body).toContain(`<h1>payment &lt;b&gt;7&lt;/b&gt;</h1>`)
  expect(body).toContain('&quot;valor&quot;: 150.10,\n  &quot;x&quot;: [\n    {},\n    [],\n    [\n      1,')
  expect(body).toContain('CN=Test service production, O=Portaria development')
  expect(body).toContain('TLSv1.3, TLS_AES_128_GCM_SHA256')
  expect(body).toContain(`/ui/events/${await newestEvent(gateway, 'probe')}`)
  expect(body).not.toContain('<b>')
})

it('of an event that the service was asked for, no callback and no test call is shown', () => {
  const evidence = { listener: null, remoteAddress: null, tlsVersion: null, target: null, peer: null }
  const event = { id: 'evt_1_0000000000', kind: 'payment', source: 'reconciled', authentication: 'service', evidence }
  const journey = { probe: null, deliveries: [], isEveryDelivery: true, consumers: [], isEveryConsumer: true }
  const shownOf = (changes: object) =>
    String(timeline({ ...journey, event: { ...event, ...changes } as unknown as EventDetail }, speaker('en')))
  const shown = shownOf({})
  for (const text of [
    'No callback had come that told of this state. The gateway asked the service for it; a late callback of the same state counts as received again.',
    'question to the service',
    'On disk, in the same order as all events.',
  ])
    expect(shown).toContain(text)
  expect(shown).not.toContain('Tested by the service')
  expect(shown).not.toContain('On disk before the service got its answer.')
  expect(shownOf({ source: 'resolved' })).toContain(
    'The callback was only a token. The gateway asked the service for its entries; this is one of them.',
  )
  expect(shownOf({ source: 'resolved' })).toContain('Tested by the service')
})

it('an id that names nothing gets a page that leads back', async () => {
  const gateway = shared()
  const browser = await operatorOf(gateway)
  const { status, body } = await browser.get('/ui/events/nothing')
  expect([status, body.includes('<a href="/ui/">Back</a>')]).toEqual([404, true])
  expect((await browser.get('/ui/events/%2e%2e')).status).toBe(404)
})

it('bodies that are no JSON are text, or bytes that are not shown', async () => {
  const gateway = shared()
  const browser = await operatorOf(gateway)
  for (const { path, body, headers } of UNREADABLE) {
    await callBack(gateway, { path, body: body as string, ...(headers && { headers }) })
    const page = await browser.get(`/ui/events/${await newestEvent(gateway)}`)
    expect([page.status, page.body.includes(HARM) && !page.body.includes(`&lt;script&gt;${HARM}`)]).toEqual([
      200,
      false,
    ])
    if (body instanceof Uint8Array) expect(page.body).toContain(`The payload is ${body.length} bytes that are neither`)
  }
})

it('a long payload is cut, and the whole callback can be downloaded', async () => {
  const gateway = shared()
  const text = '"<&>'.repeat(30_000)
  await callBack(gateway, { body: JSON.stringify({ identificador: 'long', text }) })
  const browser = await operatorOf(gateway)
  const { body } = await browser.get(`/ui/events/${await newestEvent(gateway)}`)
  expect(body.length).toBeLessThan(110_000)
  expect(body).toContain('The rest is not shown here.')
  const path = /href="(\/ui\/api\/[^"]+\/original)"/.exec(body)?.[1] as string
  const original = await browser.get(path)
  expect([original.headers['content-disposition'], JSON.parse(original.body)]).toMatchObject(['attachment', { text }])
})

it('sends an event again to one destination, with a reason that the log of actions keeps', async () => {
  const gateway = shared()
  const receiver = await startReceiver()
  const body = { name: 'books', url: receiver.url, kinds: ['payment'] }
  const created = await callApi(gateway.api, '/v1/destinations', { method: 'POST', body })
  const { id: destination } = JSON.parse(created.body) as { id: string }
  await callBack(gateway, { body: '{"identificador":"again"}' })
  const event = await newestEvent(gateway)
  const browser = await operatorOf(gateway)
  const page = () => browser.get(`/ui/events/${event}`)
  expect((await until(page, (shown) => shown.body.includes('>delivered</span>'))).body).toContain('<code>thanks</code>')
  const path = `/ui/events/${event}`
  const sent = await browser.submit(path, `${path}/replay`, { destination, reason: 'lost & found' })
  expect([sent.status, sent.headers.location]).toEqual([303, path])
  expect((await page()).body).toContain('Deliveries to be sent: 1.')
  expect((await page()).body).not.toContain('Deliveries to be sent: 1.')
  await until(async () => receiver.received.length >= 2)
  const audit = JSON.parse((await callApi(gateway.api, '/v1/audit')).body) as { data: object[] }
  expect(audit.data).toContainEqual(
    expect.objectContaining({ actor: 'operator', channel: 'page', action: 'replayEvent', reason: 'lost & found' }),
  )
  expect((await browser.get(`${path}/deliveries`)).body).toContain('Attempts at books')
})

it('proposes to send again what did not arrive, says who has it already, and proposes nothing where all have it', async () => {
  const gateway = shared()
  const receiver = await startReceiver()
  const change = (path: string, body?: object) => callApi(gateway.api, path, { method: 'POST', body })
  await change('/v1/destinations', { name: 'erp', url: receiver.url, kinds: ['registration'] })
  await change('/v1/destinations', { name: 'ready', url: receiver.url, kinds: ['registration'] })
  await change('/v1/destinations/erp/pause')
  await callBack(gateway, { path: '/callbacks/registration', body: '{"identificador":"half"}' })
  const path = `/ui/events/${await newestEvent(gateway, 'registration')}`
  const { data } = JSON.parse((await callApi(gateway.api, '/v1/deliveries?destination=erp')).body)
  await change(`/v1/deliveries/${data.at(-1).id}/skip`)
  await change('/v1/destinations/erp/resume')
  const browser = await operatorOf(gateway)
  const optionsWhen = async (text: string) => {
    const { body } = await until(
      () => browser.get(path),
      (shown) => shown.body.includes(text),
    )
    return [...body.matchAll(/<option value="([^"]*)"( selected)?>([^<]*)/g)].map(([, ...one]) => one)
  }
  const before = await optionsWhen(`<option value="${data.at(-1).destination}" selected>erp: canceled`)
  expect(before).toContainEqual([expect.any(String), undefined, `ready: has it already`])
  expect(before).toContainEqual(['all', undefined, 'All that were sent it, also those that have it already'])
  await browser.submit(path, `${path}/replay`, { destination: data.at(-1).destination, reason: 'erp is mended' })
  const after = await optionsWhen(`<option value="" selected>Choose a destination`)
  expect(after.filter(([, selected]) => selected)).toHaveLength(1)
  await browser.submit(path, `${path}/replay`, { destination: '', reason: 'test' })
  expect((await browser.get(path)).body).toContain('No destination was chosen. Nothing was sent.')
  await browser.submit(path, `${path}/replay`, { destination: 'all', reason: 'test' })
  expect((await browser.get(path)).body).toMatch(/Deliveries to be sent: [2-9]/)
})

it('offers a support person to send an event again, with support.replay alone beside masked reading', async () => {
  const gateway = shared()
  const receiver = await startReceiver()
  const body = { name: 'ledger', url: receiver.url, kinds: ['payment'] }
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body })
  await callBack(gateway, { body: '{"identificador":"support"}' })
  const path = `/ui/events/${await newestEvent(gateway)}`
  await until(async () => receiver.received.length >= 1)
  const open = async (scopes: readonly Scope[]) => {
    const browser = new TestBrowser(gateway)
    await browser.signIn(await newClient(gateway, scopes))
    return browser
  }
  const button = `>Send again</button>`
  // A command is for who has a shell.
  const command = 'portaria events show'
  expect((await (await operatorOf(gateway)).get(path)).body).toContain(command)
  expect((await (await open(['events.read'])).get(path)).body).not.toContain(command)
  expect((await (await open(['support.read'])).get(path)).body).not.toContain(button)
  const support = await open(['support.read', 'support.replay'])
  expect((await support.get(path)).body).toContain(button)
  expect((await support.submit(path, `${path}/replay`, { destination: 'ledger', reason: 'asked' })).status).toBe(303)
  await until(async () => receiver.received.length >= 2)
})

it('a refused form leads back, with the reason', async () => {
  const gateway = shared()
  await callBack(gateway, { body: '{"identificador":"refused"}' })
  const path = `/ui/events/${await newestEvent(gateway)}`
  const browser = await operatorOf(gateway)
  await browser.submit(path, `${path}/replay`, { destination: 'nowhere', reason: 'test' })
  const { body } = await browser.get(path)
  expect(body).toMatch(/class="flash bad" role="alert">The event or the destination no longer exists/)
})

it('says which data was removed, and does not offer to send it', async () => {
  const gateway = shared()
  await callBack(gateway, { body: '{"identificador":"gone","nome":"Maria"}' })
  const event = await newestEvent(gateway)
  const body = { subject: 'gone', environment: 'production' }
  const redacted = await callApi(gateway.api, '/v1/storage/redact', { method: 'POST', body })
  expect(redacted.status).toBeLessThan(300)
  const page = await (await operatorOf(gateway)).get(`/ui/events/${event}`)
  expect(page.body).toContain('The data was removed on')
  expect(page.body).not.toContain('Maria')
  expect(page.body).not.toContain(`>Send again</button>`)
})

it('names the consumers that are past the event, to those who see them', async () => {
  const gateway = shared()
  await callBack(gateway, { body: '{"identificador":"polled"}' })
  const event = await newestEvent(gateway)
  const seek = { method: 'POST', body: { position: 'latest' } }
  await callApi(gateway.api, '/v1/consumers/reports/seek', seek)
  await callApi(gateway.api, '/v1/consumers/behind/seek', { method: 'POST', body: { position: 'start' } })
  const { body } = await (await operatorOf(gateway)).get(`/ui/events/${event}`)
  expect(body).toContain(
    'These consumers are past the event: they received it, unless the filter of a request skipped it.',
  )
  expect(body).toContain('<li>reports (operator)')
  expect(body).not.toContain('<li>behind')
  const person = new TestBrowser(gateway)
  await person.signIn(await newClient(gateway, ['events.read']))
  expect((await person.get(`/ui/events/${event}`)).body).toContain('You see only your own consumers.')
})

it('JSON is indented with every character of its numbers and strings, also nested deeply', () => {
  const text = '{"a": 1.50,"b":[ ],"c":{},"d":["x\\"y{,",-0.0e+5,true,null],"\\u0000":"\\ud800"}'
  const pretty = prettyJson(text, 1000)
  expect(pretty.split('\n')).toEqual([
    ...['{', '  "a": 1.50,', '  "b": [],', '  "c": {},', '  "d": [', '    "x\\"y{,",', '    -0.0e+5,', '    true,'],
    ...['    null', '  ],', '  "\\u0000": "\\ud800"', '}'],
  ])
  const deep = prettyJson('['.repeat(20_000) + ']'.repeat(20_000), 200_000)
  expect(deep.length).toBeLessThan(201_000)
  const long = `{"d":"${'x\\n'.repeat(3_000_000)}"}`
  expect(prettyJson(long, 200_000)).toBe(`{\n  ${long.slice(1, -1).replace(':', ': ')}`)
})

it.each([
  ['short', { text: 'short', isCut: false }],
  ['&&&&', { text: '&', isCut: true }],
  ['abcdefghijkl', { text: 'abcdefghij', isCut: true }],
  ['abcdefghi\u{1f600}', { text: 'abcdefghi\ufffd', isCut: true }],
])('%j is cut where its HTML has ten characters', (text, expected) => {
  expect(cutText(text, (visible) => visible, 10)).toEqual(expected)
})
