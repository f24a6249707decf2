import { expect, it } from 'vitest'
import { parseSearch } from '../../src/domain/search/search-query.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { amountText } from '../../src/pages/event/amount.ts'
import { csvCell, EVENTS_CSV, MOST_ROWS, textCell } from '../../src/pages/find/csv.ts'
import type { DownloadFile } from '../../src/pages/frame/download.ts'
import type { PageRequest } from '../../src/pages/frame/page.ts'
import {
  asked,
  momentText,
  nextPlace,
  type Place,
  pagePath,
  placeIn,
  previousPlace,
  typedIn,
} from '../../src/pages/frame/search-query.ts'
import { timeField } from '../../src/pages/parts/time-field.ts'
import { callApi, callBack } from '../support/calls.ts'
import { startTestGateway } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { textIn } from './api-pages.ts'
import { newClient, TestBrowser } from './browser.ts'

it('finds an event by a value of its payload, with amount and delivery, and nothing of another environment', async () => {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name: 'books', url: receiver.url } })
  await callBack(gateway, { body: '{"identificador":"<i>77</i>","status":"LIQUIDADO","valor":"150.10"}' })
  await callBack(gateway, { body: '{"identificador":"78","valor":"1.00"}', environment: 'sandbox' })
  const browser = new TestBrowser(gateway)
  await browser.signIn(await newClient(gateway, ['events.read'], { environment: 'production' }))
  const page = await until(
    () => browser.get('/ui/?search=R%24+150%2C10&view=events', { 'accept-language': 'pt-BR,en;q=0.5' }),
    ({ body }) => body.includes('>LIQUIDADO</td>'),
  )
  expect(page.body).toContain('&lt;i&gt;77&lt;/i&gt;</a>')
  expect(page.body).toContain('>R$\u00a0150,10</td>')
  expect((await browser.get('/ui/?view=events')).body).not.toContain('>78</a>')
  const operator = new TestBrowser(gateway)
  await operator.signIn()
  const delivered = ({ body }: { body: string }) => body.match(/>delivered<\/span>/g)?.length === 2
  expect((await until(() => operator.get('/ui/?view=events'), delivered)).body).toContain('>78</a>')
})

it('an empty answer says what to do, and a search that cannot be read is corrected in place', async () => {
  const gateway = await startTestGateway()
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  expect((await browser.get('/ui/')).body).toContain('No events are stored yet.')
  expect((await browser.get('/ui/?search=nothing')).body).toContain('No event matches.')
  const unreadable = await browser.get('/ui/?search=%22%3E..')
  expect([unreadable.status, unreadable.body.includes('value="&quot;&gt;.."')]).toEqual([200, true])
  expect(unreadable.body).toContain(
    'This search cannot be read. Type a letter or a digit at least, and at most 10 words and 200 characters.',
  )
  expect((await browser.get('/ui/?after=nowhere')).body).toContain(
    'A filter or the address of this page cannot be read. Choose the filters again.',
  )
  expect((await browser.get('/ui/?from=yesterday')).body).toContain('This is not a time: received from.')
})

it('an empty answer and a search that cannot be read are said once, in the language of the page', async () => {
  const gateway = await startTestGateway()
  const open = async (scope: 'events.read' | 'support.read') => {
    const browser = new TestBrowser(gateway)
    await browser.signIn(await newClient(gateway, [scope]))
    return async (query: string) => textIn((await browser.get(`/ui/?${query}`, { 'accept-language': 'pt-BR' })).body)
  }
  const [unmasked, masked] = [await open('events.read'), await open('support.read')]
  const everything = [
    'Buscar em todos os eventos',
    'Qualquer valor de um callback: txid, endToEndId, CPF ou CNPJ, nome, e-mail, telefone, data como 02/03/2026, valor como 150,10, ID do evento. Bastam os primeiros 4 caracteres.',
    'Qualquer valor inteiro de um callback: txid, endToEndId, CPF ou CNPJ, palavra de um nome, data como 02/03/2026, valor como 150,10, ID do evento. Começos não são encontrados, porque dados pessoais estão ocultos para você.',
    'Filtros: entrega, destino, status, tipo, horário',
    'Nenhum evento corresponde.',
    'Confira o valor, tire uma palavra ou um filtro, ou escreva só o começo.',
    'Dados pessoais estão ocultos para você: escreva palavras e números inteiros. Valores são encontrados onde você os vê. Um número com menos de 6 dígitos deve ficar sozinho: ele encontra o evento com este número.',
    'Não é possível ler esta busca. Escreva ao menos uma letra ou um dígito, e no máximo 10 palavras e 200 caracteres.',
  ]
  const said = (text: string) => everything.filter((one) => text.split(one).length === 2)
  const form = [
    'Buscar em todos os eventos',
    'Qualquer valor de um callback: txid, endToEndId, CPF ou CNPJ, nome, e-mail, telefone, data como 02/03/2026, valor como 150,10, ID do evento. Bastam os primeiros 4 caracteres.',
    'Filtros: entrega, destino, status, tipo, horário',
  ]
  const maskedForm = [
    'Buscar em todos os eventos',
    'Qualquer valor inteiro de um callback: txid, endToEndId, CPF ou CNPJ, palavra de um nome, data como 02/03/2026, valor como 150,10, ID do evento. Começos não são encontrados, porque dados pessoais estão ocultos para você.',
    'Filtros: entrega, destino, status, tipo, horário',
  ]
  expect(said(await unmasked('search=jo'))).toEqual([
    ...form,
    'Nenhum evento corresponde.',
    'Confira o valor, tire uma palavra ou um filtro, ou escreva só o começo.',
  ])
  expect(said(await masked('search=maria'))).toEqual([
    ...maskedForm,
    'Nenhum evento corresponde.',
    'Dados pessoais estão ocultos para você: escreva palavras e números inteiros. Valores são encontrados onde você os vê. Um número com menos de 6 dígitos deve ficar sozinho: ele encontra o evento com este número.',
  ])
  expect(said(await unmasked('search=..'))).toEqual([
    ...form,
    'Não é possível ler esta busca. Escreva ao menos uma letra ou um dígito, e no máximo 10 palavras e 200 caracteres.',
  ])
  expect(said(await masked('search=maria+7033'))).toEqual([
    ...maskedForm,
    'Dados pessoais estão ocultos para você: escreva palavras e números inteiros. Valores são encontrados onde você os vê. Um número com menos de 6 dígitos deve ficar sozinho: ele encontra o evento com este número.',
    'Não é possível ler esta busca. Escreva ao menos uma letra ou um dígito, e no máximo 10 palavras e 200 caracteres.',
  ])
  for (const [ask, query] of [
    [unmasked, 'search=jo&status=gone'],
    [masked, 'search=maria+7033'],
    [masked, 'search=7033'],
  ] as const)
    expect(await ask(query)).not.toMatch(/\b(?:the|token|without|characters|search|event)\b/)
})

it('pages lead to older events with the same filters', async () => {
  const gateway = await startTestGateway()
  await Promise.all(Array.from({ length: 27 }, (_, n) => callBack(gateway, { body: `{"identificador":"n${n}"}` })))
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const first = await browser.get('/ui/?kind=payment')
  const next = /rel="next" href="([^"]+)"/.exec(first.body)?.[1]?.replaceAll('&amp;', '&')
  expect(next).toMatch(/^\/ui\/\?kind=payment&after=\w+&seen=25$/)
  const second = await browser.get(next as string)
  const linksOf = (body: string) => body.match(/<li><details>/g)?.length
  expect([linksOf(first.body), linksOf(second.body)]).toEqual([25, 2])
  expect(second.body).toContain('href="/ui/?kind=payment"')
  expect(textIn(first.body)).toContain('More than 25, newest change first')
  expect(textIn(second.body)).toContain('26 to 27 of 27')
})

it('the page before is the one that led here, with what was seen before it', () => {
  const typed = typedIn(new URLSearchParams({ search: 'ana', deliveryState: 'exhausted' }))
  const reload = (place: Place) => placeIn(new URL(pagePath(typed, place), 'http://gateway').searchParams)
  const first = placeIn(new URLSearchParams())
  const second = reload(nextPlace(first, 'MTo1MA', 25))
  const third = reload(nextPlace(second, 'MToyNQ', 7))
  expect([second.seen, third.seen]).toEqual([25, 32])
  expect(reload(previousPlace(third) as Place)).toEqual(second)
  expect(previousPlace(second)).toEqual(first)
  expect(previousPlace(first)).toBeNull()
  let place = first
  for (let page = 0; page < 200; page++) place = nextPlace(place, 'MTo5OTk5OTk5OTk5', 25)
  expect(pagePath(typed, place).length).toBeLessThan(2000)
  expect(placeIn(new URLSearchParams({ after: 'MTo1MA', seen: '-1', back: '.,a.b,,' }))).toEqual({
    after: 'MTo1MA',
    seen: 0,
    back: [['a', 0]],
  })
})

it('what failed is filtered by one click, each filter stays in sight, and a click takes it away', async () => {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  for (const [name, kinds] of [
    ['books', ['payment']],
    ['shop', ['charge']],
  ])
    await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name, kinds, url: receiver.url } })
  await callApi(gateway.api, '/v1/destinations/books/pause', { method: 'POST' })
  await callBack(gateway, { body: '{"identificador":"kept"}' })
  await callBack(gateway, { body: '{"identificador":"skipped"}' })
  const delivery = JSON.parse((await callApi(gateway.api, '/v1/deliveries')).body).data.at(-1)
  await callApi(gateway.api, `/v1/deliveries/${delivery.id}/skip`, { method: 'POST' })
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const { body } = await browser.get('/ui/?deliveryState=canceled&destination=books&kind=payment')
  expect(textIn(body)).toContain('not sent to books any more')
  expect([body.includes('<span>skipped<small>'), body.includes('<span>kept<small>')]).toEqual([true, false])
  expect(body).toContain('<option value="books">')
  const chips = [
    ...body.matchAll(/<a class="chip on" href="([^"]+)"><span [^>]+>Remove the filter<\/span> (.*?) <span/g),
  ]
  expect(chips.map(([, href, label]) => [href?.replaceAll('&amp;', '&'), label])).toEqual([
    ['/ui/?kind=payment&destination=books', 'Delivery: canceled'],
    ['/ui/?kind=payment&deliveryState=canceled', 'Destination: books'],
    ['/ui/?deliveryState=canceled&destination=books', 'Kind: payment'],
  ])
  expect(body).toContain(`<a class="chip" href="/ui/">Remove all filters</a>`)
  expect((await browser.get('/ui/?destination=shop')).body).toContain('No event matches.')
  const all = await browser.get('/ui/')
  expect(all.body).not.toContain('Remove all filters')
  for (const [state, word] of Object.entries({ failing: 'failing', exhausted: 'no more tries', waiting: 'waiting' }))
    expect(all.body).toContain(`<a class="chip" href="/ui/?deliveryState=${state}">only: ${word}</a>`)
  expect((await browser.get('/ui/?deliveryState=waiting')).body).toContain('<span>kept<small>')
  // Nothing was searched for, so that nothing masked was either.
  expect((await browser.get('/ui/?deliveryState=exhausted')).body).toContain(
    'No event has a delivery in this state, or the filters leave none: take a filter away.',
  )
  receiver.answer(500)
  await callApi(gateway.api, '/v1/destinations/books/resume', { method: 'POST' })
  await until(async () =>
    /<span>kept<small>[\s\S]*<span class="badge bad">books does not accept it \(HTTP 500\), next try <time/.test(
      (await browser.get('/ui/?deliveryState=failing')).body,
    ),
  )
  expect((await browser.get('/ui/?deliveryState=nonsense')).body).toContain(
    'A filter or the address of this page cannot be read. Choose the filters again.',
  )
})

it('an event leads back to the search with its filters, and to no other place', async () => {
  const gateway = await startTestGateway()
  await callBack(gateway, { body: '{"identificador":"n1"}' })
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const search = '/ui/?search=n1&kind=payment'
  const path = await until(async () => /href="(\/ui\/events\/[^"]+)"/.exec((await browser.get(search)).body)?.[1] ?? '')
  expect((await browser.get(path)).body).toContain(`<a href="${search.replace('&', '&amp;')}">Back to the search</a>`)
  const [event] = path.split('?')
  for (const back of ['', '?back=https%3A%2F%2Fother.example%2F', '?back=%2F..%2Fother'])
    expect((await browser.get(`${event}${back}`)).body).toContain(`<a href="/ui/">Back to the search</a>`)
  const all = /href="(\/ui\/events\/[^"]+)"/.exec((await browser.get('/ui/')).body)?.[1]
  expect(all).toBe(event)
})

it.each(['\t=1', '\rabc', '\n@x', '\t+5'])(
  'the cell %j of a CSV file begins with no character that a spreadsheet reads',
  (text) => {
    expect(csvCell(text)).toMatch(/^\\u00/)
  },
)

it('a day is a whole day of the gateway’s zone', () => {
  const typed = typedIn(new URLSearchParams({ from: '2026-03-01', to: '2026-03-01' }))
  const day = (text: string) => new Date(`${text}T00:00:00`).toISOString()
  expect(asked(typed, null)).toMatchObject({ query: { from: day('2026-03-01'), to: day('2026-03-02') } })
  expect([momentText(typed.from, 'first'), momentText(typed.to, 'last')]).toEqual([
    day('2026-03-01'),
    day('2026-03-02'),
  ])
})

it('a time of the control for times is one of the gateway’s zone, and comes back as it was', () => {
  const typed = typedIn(new URLSearchParams({ from: '2026-03-01T09:00', to: '2026-03-01 10:30' }))
  const moment = (text: string) => new Date(`2026-03-01T${text}:00`).toISOString()
  expect(asked(typed, null)).toMatchObject({ query: { from: moment('09:00'), to: moment('10:30') } })
  const field = (value: string) => timeField('from', 'From', { value: momentText(value, 'first') }).toString()
  expect(field(typed.from)).toContain(`value="2026-03-01T09:00" data-moment="${moment('09:00')}"`)
  expect(field('yesterday')).toContain('value="yesterday">')
})

it.each([
  ['payment', { valor: '150.10' }, 'R$150.10'],
  ['payment', { valor: 150.1 }, 'R$150.10'],
  ['payment', { valor: 15010 }, null],
  ['payment', { valor: { original: '9007199254740993.05' } }, null],
  ['charge', { value: 15010 }, 'R$150.10'],
  ['charge', { value: 5 }, 'R$0.05'],
  ['charge', { value: '15010' }, null],
  ['payment', 'text', null],
  ['payment', null, null],
])('the amount of %s %j is %s', (kind, data, expected) => {
  expect(amountText({ kind, data }, 'en')).toBe(expected)
})

it('the CSV file has all events of the filter, newest first, masked as the page shows them, and no formulas', async () => {
  const gateway = await startTestGateway()
  const texts = ['=1+1', '+2', '-3', '@sum', '"quoted", text', '4512E10']
  for (const [n, text] of texts.entries())
    await callBack(gateway, { body: JSON.stringify({ identificador: `n${n}`, status: text, valor: '150.10' }) })
  await callBack(gateway, { body: '{"identificador":"other","status":"LIQUIDADO"}', environment: 'sandbox' })
  const operator = new TestBrowser(gateway)
  await operator.signIn()
  const file = await operator.get('/ui/events.csv?view=events&environment=production')
  expect([file.status, file.headers['content-type'], file.headers['content-disposition']]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
    'attachment; filename="events.csv"',
  ])
  const lines = file.body.split('\r\n')
  expect(lines.map((line) => line.split(',').slice(6).join(','))).toEqual([
    'Event,Status,Amount',
    "n5,'4512E10,150.10",
    'n4,"""quoted"", text",150.10',
    "n3,'@sum,150.10",
    "n2,'-3,150.10",
    "n1,'+2,150.10",
    "n0,'=1+1,150.10",
    '',
  ])
  const brazilian = await operator.get('/ui/events.csv?view=events&environment=production', {
    'accept-language': 'pt-BR',
  })
  expect(brazilian.body.split('\r\n').map((row) => row.split(';').slice(6).join(';'))).toEqual([
    'Evento;Status;Valor',
    "n5;'4512E10;150,10",
    'n4;"""quoted"", text";150,10',
    ...["n3;'@sum;150,10", "n2;'-3;150,10", "n1;'+2;150,10", "n0;'=1+1;150,10", ''],
  ])
  const zoned = await operator.get('/ui/events.csv?view=events&environment=sandbox&zone=Asia/Tokyo', {
    'accept-language': 'pt-BR',
  })
  const [heads = [], [state, time = '', , kind, , environment] = []] = zoned.body
    .split('\r\n')
    .map((row) => row.split(';'))
  expect([heads[1], state, kind, environment]).toEqual(['Recebido (Asia/Tokyo)', '', 'pagamento', 'sandbox'])
  const { data } = JSON.parse((await callApi(gateway.api, '/v1/events?environment=sandbox')).body)
  const received = `${data[0].receivedAt.slice(0, 19)}Z`
  expect(new Date(`${time.replace(' ', 'T')}+09:00`).toISOString()).toBe(new Date(received).toISOString())
  expect((await operator.get('/ui/events.csv?view=events&zone=no-zone')).body.split(',')[1]).toBe(
    `Received (${Intl.DateTimeFormat().resolvedOptions().timeZone})`,
  )
  expect((await operator.get('/ui/')).body).toContain('href="/ui/events.csv" download')
  expect((await operator.get('/ui/events.csv?from=yesterday')).headers.location).toBe('/ui/?from=yesterday')
  expect((await operator.get('/ui/events.csv?deliveryState=no')).headers.location).toBe('/ui/?deliveryState=no')
  expect((await new TestBrowser(gateway).get('/ui/events.csv')).headers.location).toContain('/ui/sign-in')

  const person = new TestBrowser(gateway)
  await person.signIn(await newClient(gateway, ['operations.read']))
  expect((await person.get('/ui/events.csv')).status).toBe(403)
})

it('what a person chose, or all of the filter, is counted and then sent again by a replay with a reason', async () => {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  for (const n of [1, 2, 3]) await callBack(gateway, { body: `{"identificador":"n${n}"}` })
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name: 'books', url: receiver.url } })
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const page = await browser.get('/ui/?kind=payment&view=events')
  const ids = [...page.body.matchAll(/name="event" value="(evt_\w+)"/g)].map(([, id]) => id as string)
  expect(ids).toHaveLength(3)
  const none = await browser.submit('/ui/', '/ui/replays/selected', { kind: 'payment' })
  expect([none.status, none.headers.location]).toEqual([303, '/ui/?kind=payment'])
  expect(textIn((await browser.get('/ui/')).body)).toContain('No event was chosen. Nothing was sent.')

  const chosen = await browser.submit('/ui/', '/ui/replays/selected/all', { kind: 'payment', destination: '' })
  expect(textIn(chosen.body)).toContain('3 events are chosen.')
  const two = await browser.submit('/ui/', '/ui/replays/selected/count', {
    events: ids.slice(0, 2).join(' '),
    target: 'books',
  })
  expect(textIn(two.body)).toContain('2 events would be delivered to books again. Nothing has been sent yet.')
  const nowhere = await browser.submit('/ui/', '/ui/replays/selected/count', {
    events: ids.join(' '),
    target: 'nowhere',
  })
  expect(textIn(nowhere.body)).toContain('There is no such destination. The list of destinations shows all.')
  expect(nowhere.body).toMatch(/<select id="target".*<option value="dst_1">books</)
  const form = { events: ids.slice(0, 2).join(' '), target: 'books', kind: 'payment' }
  expect((await browser.submit('/ui/', '/ui/replays/selected/start', form)).headers.location).toBe('/ui/?kind=payment')
  const started = await browser.submit('/ui/', '/ui/replays/selected/start', {
    ...form,
    reason: 'the books were closed',
  })
  expect(started.headers.location).toBe('/ui/replays/rpl_1')
  const { data } = JSON.parse((await callApi(gateway.api, '/v1/replays')).body)
  expect(data).toMatchObject([{ mode: 'all', matched: 2, filter: { events: ids.slice(0, 2) } }])

  await until(() => receiver.received.length === 2)
  const filter = { kind: 'payment', destination: 'books' }
  const mixed = () => browser.submit('/ui/', '/ui/replays/selected', { ...filter, event: ids[0] as string })
  await until(async () => textIn((await mixed()).body).includes('The destination has it already.'))
  const all = await browser.submit('/ui/', '/ui/replays/selected/count', { events: ids.join(' '), target: 'dst_1' })
  expect(all.body).toContain(`<option value="missing" selected>only the 1 that it does not have</option>`)
  expect(all.body).toContain(`<option value="all">all 3, also 2 that it has already</option>`)
  const missing = { events: ids.join(' '), target: 'dst_1', mode: 'missing', reason: 'the rest' }
  await browser.submit('/ui/', '/ui/replays/selected/start', missing)
  expect(JSON.parse((await callApi(gateway.api, '/v1/replays/rpl_2')).body)).toMatchObject({
    mode: 'missing',
    matched: 1,
  })

  const reader = new TestBrowser(gateway)
  await reader.signIn(await newClient(gateway, ['events.read']))
  expect((await reader.get('/ui/')).body).not.toContain('/ui/replays/selected')
})

it('support sends events again, one by one, to a destination that had them, with their count first', async () => {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name: 'books', url: receiver.url } })
  for (const n of [1, 2]) await callBack(gateway, { body: `{"identificador":"n${n}"}` })
  await until(() => receiver.received.length === 2)
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name: 'later', url: receiver.url } })
  await callApi(gateway.api, '/v1/destinations/books/pause', { method: 'POST' })
  await callBack(gateway, { body: '{"identificador":"n3"}' })
  const person = new TestBrowser(gateway)
  await person.signIn(await newClient(gateway, ['support.read', 'support.replay']))
  const chosen = await person.submit('/ui/', '/ui/replays/selected/all', { kind: 'payment' })
  const options = [...chosen.body.matchAll(/<option value="(\w*)"[^>]*>([^<]*)</g)].map(([, id, text]) => [id, text])
  expect(options).toEqual([
    ['', 'Choose a destination'],
    ['dst_1', 'books: had 3 of 3'],
    ['dst_2', 'later: had 1 of 3'],
  ])
  const events = /name="events" value="([^"]*)"/.exec(chosen.body)?.[1] ?? ''
  const form = { events, target: 'dst_2', kind: 'payment' }
  const counted = await person.submit('/ui/', '/ui/replays/selected/count', form)
  expect(textIn(counted.body)).toContain('1 event would be delivered to later again. Nothing has been sent yet.')
  const others = Array.from({ length: 200 }, (_, n) => `evt_${1000 + n}_0000000000`)
  const many = await person.submit('/ui/', '/ui/replays/selected/count', {
    ...form,
    events: [events, events, ...others].join(' '),
  })
  expect(textIn(many.body)).toContain('The filter has more events: the newest 100 are chosen.')
  expect(textIn(many.body)).toContain('1 event would be delivered to later again. Nothing has been sent yet.')
  expect(counted.body).not.toContain('name="mode" value="missing"')
  const named = { kind: 'payment', destination: 'books' }
  const direct = await person.submit('/ui/', '/ui/replays/selected/all', named)
  expect(textIn(direct.body)).toContain('3 events would be delivered to books again. Nothing has been sent yet.')
  expect(direct.body).toContain(`<option value="missing" selected>only the 1 that it does not have</option>`)
  const unknown = await person.submit('/ui/', '/ui/replays/selected/count', { ...form, target: 'dst_9' })
  expect(textIn(unknown.body)).toContain('There is no such destination. The list of destinations shows all.')
  const start = { ...form, target: 'dst_1', reason: 'asked' }
  await person.submit('/ui/', '/ui/replays/selected/start', { ...start, mode: 'missing' })
  expect(textIn((await person.get('/ui/')).body)).toContain('1 event is sent again.')
  const sent = await person.submit('/ui/', '/ui/replays/selected/start', start)
  expect(sent.headers.location).toBe('/ui/?kind=payment')
  expect(textIn((await person.get('/ui/')).body)).toContain('3 events are sent again.')
  const { data } = JSON.parse((await callApi(gateway.api, '/v1/audit?action=replayEvent')).body)
  expect(data).toHaveLength(4)
  expect(data[0]).toMatchObject({ reason: 'asked', channel: 'page' })
})

it.each([
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  [' =1', "' =1"],
  ['-1.00', "'-1.00"],
  ['＝1', "'＝1"],
  ['a,b', '"a,b"'],
  ['150.10', '150.10'],
  ['a;=1+1', "a;'=1+1"],
  ['a, @sum', `"a,' @sum"`],
  ['a;"=1+1;', `"a;'""=1+1;"`],
  ['"" =1', `"'"""" =1"`],
  ['a=b', 'a=b'],
])('the cell of %j is %s', (text, cell) => {
  expect(csvCell(text)).toBe(cell)
})

it.each([
  '00012345',
  '12345678901234567890',
  '4512E10',
  '1-2',
  '12/03/2026',
  '12:30',
  '1 pm',
  'SET2026',
  '3,5 %',
  'true',
])('a spreadsheet keeps the id %j of a CSV file as a text, and the search finds what is copied from there', (id) => {
  expect(textCell(id)).toBe(`'${id}`)
  expect(parseSearch(`'${id}`)).toEqual(parseSearch(id))
})

it.each(['n5', 'E12345678', '4512e10a', 'LIQUIDADO', 'decisao', '9'.repeat(100_000).concat('x')])(
  'the text %.20j of a CSV file, which is none of these, stays as it is',
  (id) => expect(textCell(id)).toBe(id),
)

it('a CSV file that is cut says so in its last line', async () => {
  const event = {
    id: 'evt_1',
    kind: 'payment',
    institution: null,
    environment: 'production',
    subject: 's',
    status: null,
  }
  const data = (count: number) =>
    Array.from({ length: count }, () => ({ ...event, receivedAt: '2026-01-15T12:00:00Z', data: null }))
  const ask = async (_id: string, { query }: { query: { limit: number } }) => ({
    status: 200,
    json: { data: data(query.limit), next: 'next', more: true },
  })
  const file = await EVENTS_CSV.open({
    ask,
    query: new URLSearchParams('view=events'),
    t: speaker('en'),
  } as unknown as PageRequest)
  let text = ''
  for await (const part of (file as DownloadFile).parts) text += part
  const lines = text.trimEnd().split('\r\n')
  expect([lines.length, lines.at(-1)]).toEqual([MOST_ROWS + 2, `cut: these are the newest ${MOST_ROWS} events of more`])
})
