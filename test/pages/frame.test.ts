import { expect, it } from 'vitest'
import { speaker } from '../../src/messages/speaker.ts'
import { errorPage } from '../../src/pages/frame/error-pages.ts'
import { type Frame, layout } from '../../src/pages/frame/layout.ts'
import type { PageView } from '../../src/pages/frame/page.ts'
import { Refused } from '../../src/pages/frame/refusals.ts'
import { callApi } from '../support/calls.ts'
import { OPERATOR_TOKEN } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { formTokenIn, newClient, sharedGateway, TestBrowser } from './browser.ts'

const shared = sharedGateway()

async function signedIn(scopes: Parameters<typeof newClient>[1] = ['events.read']): Promise<TestBrowser> {
  const browser = new TestBrowser(shared())
  await browser.signIn(await newClient(shared(), scopes))
  return browser
}

it('leads to the sign-in, and after it to the page that was asked for', async () => {
  const browser = new TestBrowser(shared())
  const asked = await browser.get('/ui/?search=abc')
  expect([asked.status, asked.headers.location]).toEqual([303, '/ui/sign-in?next=%2Fui%2F%3Fsearch%3Dabc'])
  const form = await browser.get(asked.headers.location as string)
  expect(form.body).toContain('name="next" value="/ui/?search=abc"')
  const { id, secret, name } = await newClient(shared(), ['events.read'])
  const signed = await browser.signIn({ id, secret, next: '/ui/?search=abc' })
  expect([signed.status, signed.headers.location]).toEqual([303, '/ui/?search=abc'])
  expect(signed.headers['set-cookie']).toEqual([
    expect.stringMatching(/^portaria_session=[\w-]{43}; Path=\/ui; HttpOnly; SameSite=Strict$/),
  ])
  expect((await browser.get('/ui/')).body).toContain(name)
  const out = await browser.submit('/ui/', '/ui/sign-out')
  expect([out.status, out.headers.location]).toEqual([303, '/ui/sign-in?reason=out'])
  expect((await browser.get('/ui/')).headers.location).toBe('/ui/sign-in')
})

it('every page has the headers that keep it from being framed, stored or given scripts', async () => {
  const browser = await signedIn()
  for (const path of ['/ui/', '/ui/sign-in', '/ui/nowhere']) {
    const { headers } = await browser.get(path)
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
  }
})

it('a wrong secret is refused in words, does not come back, and repeated ones must wait', async () => {
  const browser = new TestBrowser(shared())
  const { id } = await newClient(shared(), ['events.read'])
  const refused = await browser.signIn({ id, secret: 'a-wrong-secret' })
  expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined])
  expect(refused.body).toContain('There is no client with this id and secret. Check both, and try again.')
  expect(refused.body).toContain(`value="${id}"`)
  expect(refused.body).not.toContain('a-wrong-secret')
  for (let n = 0; n < 4; n++) await browser.signIn({ id, secret: 'wrong' })
  const waiting = await browser.signIn({ id, secret: 'wrong' })
  expect([waiting.status, waiting.headers['retry-after']]).toEqual([429, '1'])
})

it('guesses of the operator token are throttled, and recorded as refused callers', async () => {
  const browser = new TestBrowser(shared())
  for (let n = 0; n < 5; n++) await browser.signIn({ id: '', secret: `guess-${n}` })
  expect((await browser.signIn({ id: '', secret: 'guess-5' })).status).toBe(429)
  expect((await browser.signIn({ id: '', secret: OPERATOR_TOKEN })).status).toBe(303)
  expect((await browser.signIn({ id: '', secret: 'guess-6' })).status).toBe(429)
  expect(JSON.stringify(shared().lines)).not.toContain('guess-')
  const refusals = () => callApi(shared().api, '/v1/refusals')
  await until(refusals, ({ body }) => body.includes('POST /ui/sign-in'))
})

it.each([
  'https://harm.example/',
  '//harm.example/ui/',
  '/\\harm.example/ui/',
  '/ui/../v1/events',
  '/ui/%2e%2e/v1/events',
  '/ui\\..\\..\\v1',
  'javascript:alert(1)',
  '/ui/\r\nset-cookie: a=b/../../..',
  '/uiharm',
])('after the sign-in, %j leads to the start page', async (next) => {
  const browser = new TestBrowser(shared())
  const signed = await browser.signIn({ ...(await newClient(shared(), ['events.read'])), next })
  expect([signed.status, signed.headers.location]).toEqual([303, '/ui/'])
  const chosen = await browser.send('/ui/language', { method: 'POST', form: { language: 'pt', next } })
  expect([chosen.status, chosen.headers.location]).toEqual([303, '/ui/'])
})

it('the sign-in makes a new session, and ends the one that the browser brought', async () => {
  const browser = new TestBrowser(shared())
  const fixed = 'f'.repeat(43)
  browser.cookies.set('portaria_session', fixed)
  await browser.signIn(await newClient(shared(), ['events.read']))
  const first = browser.cookies.get('portaria_session') as string
  expect(first).not.toBe(fixed)
  await browser.signIn(await newClient(shared(), ['events.read']))
  const old = new TestBrowser(shared())
  old.cookies.set('portaria_session', first)
  expect((await old.get('/ui/')).status).toBe(303)
})

it('two session cookies are none: one may be of another program on the same host', async () => {
  const browser = await signedIn()
  const own = browser.cookies.get('portaria_session')
  const cookie = `portaria_session=${own}; portaria_session=${'x'.repeat(43)}`
  expect((await browser.get('/ui/', { cookie })).status).toBe(303)
  expect((await browser.get('/ui/', { cookie: `other=1; portaria_session=${own}` })).status).toBe(200)
})

it.each([
  ['another site', { origin: 'https://harm.example', 'sec-fetch-site': 'cross-site' }],
  ['another site, in an old browser', { origin: 'https://harm.example', 'sec-fetch-site': 'same-origin' }],
  ['another port of this host', { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' }],
  ['another site, whose origin a proxy changed', { 'sec-fetch-site': 'cross-site' }],
  ['a frame without an origin', { origin: 'null' }],
  ['a page that hides its origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
])('a form of %s changes nothing', async (_who, headers) => {
  const browser = await signedIn()
  const token = formTokenIn((await browser.get('/ui/')).body)
  for (const path of ['/ui/sign-out', '/ui/sign-in', '/ui/events/evt_1_0000000000/replay']) {
    const answer = await browser.send(path, { method: 'POST', form: { token }, headers })
    expect([path, answer.status, answer.body.includes('This form was not sent by a page of this gateway')]).toEqual([
      path,
      403,
      true,
    ])
  }
  expect((await browser.get('/ui/')).status).toBe(200)
})

it('a form without the token of its session changes nothing', async () => {
  const [browser, other] = [await signedIn(), await signedIn()]
  const foreign = formTokenIn((await other.get('/ui/')).body)
  const path = '/ui/sign-out'
  for (const form of [{ token: '' }, { token: foreign }, { other: 'x' }] as Record<string, string>[]) {
    const answer = await browser.send(path, { method: 'POST', form })
    expect([answer.status, answer.body.includes('This form is out of date')]).toEqual([403, true])
  }
  const text = await browser.send(path, { method: 'POST', body: 'token=x', headers: { 'content-type': 'text/plain' } })
  expect(text.status).toBe(415)
  const large = await browser.send(path, { method: 'POST', form: { token: 'x'.repeat(100_000) } })
  expect(large.status).toBe(413)
  expect((await browser.get('/ui/')).status).toBe(200)
})

it('a form of an ended session is not sent, and the sign-in leads back to its page', async () => {
  const browser = await signedIn()
  browser.cookies.set('portaria_session', 'e'.repeat(43))
  const headers = { referer: `${browser.origin}/ui/events/evt_1_0000000000` }
  const path = '/ui/events/evt_1_0000000000/replay'
  const { headers: answer } = await browser.send(path, { method: 'POST', form: { token: 'x' }, headers })
  expect(answer.location).toBe('/ui/sign-in?next=%2Fui%2Fevents%2Fevt_1_0000000000&reason=lost')
  expect((await browser.get(answer.location as string)).body).toContain(
    'Your session has ended. The form was not sent, and nothing was changed. Sign in, and send it again.',
  )
  const foreign = { referer: 'https://harm.example/ui/events/1' }
  const other = await browser.send(path, { method: 'POST', form: {}, headers: foreign })
  expect(other.headers.location).toBe('/ui/sign-in?reason=lost')
})

it('a revoked client is signed out at once, and so is one with a new secret', async () => {
  for (const change of ['revoke', 'rotate?grace=0s'] as const) {
    const client = await newClient(shared(), ['events.read'])
    const browser = new TestBrowser(shared())
    await browser.signIn(client)
    const [path] = change.split('?')
    const body = path === 'rotate' ? { grace: '0s' } : undefined
    const { status } = await callApi(shared().api, `/v1/clients/${client.id}/${path}`, { method: 'POST', body })
    expect(status).toBe(200)
    const asked = await browser.get('/ui/')
    expect([asked.status, asked.headers.location]).toEqual([303, '/ui/sign-in?reason=ended'])
    expect((await browser.get('/ui/api/v1/events')).status).toBe(401)
  }
})

it.each(['cross-site', 'same-site'])('a link on a %s page ends at a page with a link to click', async (site) => {
  const browser = await signedIn()
  const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' }
  const path = `/ui/?search=${encodeURIComponent('"><b>')}`
  const { status, headers: given, body } = await browser.get(path, headers)
  expect([status, given.refresh, given.location]).toEqual([200, undefined, undefined])
  expect(body).toContain(`<a href="${path}">Go on</a>`)
  expect(body).not.toMatch(/<script(?! type="module" src="\/ui\/assets)|http-equiv|name="token"/)
  expect((await browser.get(path)).body).toContain('name="token"')
})

it('the sign-in leads a person who is signed in to the page', async () => {
  const browser = await signedIn()
  const followed = await browser.get('/ui/sign-in?next=%2Fui%2F%3Fsearch%3Da')
  expect([followed.status, followed.headers.location]).toEqual([303, '/ui/?search=a'])
})

it('/ui/api passes GET and HEAD of the session on, and nothing else', async () => {
  const browser = await signedIn()
  const listed = await browser.get('/ui/api/v1/events?limit=1')
  expect([listed.status, JSON.parse(listed.body)]).toMatchObject([200, { data: [], more: false }])
  expect((await browser.send('/ui/api/v1/events', { method: 'HEAD' })).body).toBe('')
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const answer = await browser.send('/ui/api/v1/replays', { method })
    expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD'])
  }
  const overridden = await browser.send('/ui/api/v1/replays', { headers: { 'x-http-method-override': 'POST' } })
  expect(JSON.parse(overridden.body)).toMatchObject({ data: [] })
  expect((await browser.get('/ui/api/v1/destinations')).status).toBe(403)
  expect((await browser.get('/ui/api/v1/events', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await new TestBrowser(shared()).get('/ui/api/v1/events')).status).toBe(401)
  const own = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  expect((await browser.get('/ui/api/v1/destinations', own)).status).toBe(403)
})

it.each([
  '/ui/api/metrics',
  '/ui/api/v1/../../metrics',
  '/ui/api//v1/events',
  '/ui/api/V1/events',
  '/ui/api/registration/v1/webhook',
  '/ui//',
  '/ui/%2e%2e/v1/events',
  '/ui/events/%2e%2e',
  '/ui/assets/x/..%2fapp.ts',
  '/ui/assets/x/common.ts',
  '/ui/assets/constructor/__proto__',
  '/ui/language/pt',
])('%s is 404', async (path) => {
  expect((await (await signedIn()).get(path)).status).toBe(404)
})

it('/ui/../ leads nowhere but into the API, which knows no sessions', async () => {
  const browser = await signedIn()
  expect((await browser.get('/ui/../v1/events')).status).toBe(404)
  expect((await browser.get('/v1/events')).status).toBe(401)
})

it('an address that cannot be decoded gets a page, and other methods get 405', async () => {
  const browser = await signedIn()
  expect((await browser.get('/ui/events/%ff')).status).toBe(400)
  for (const [path, method, allow] of [
    ['/ui/', 'POST', 'GET, HEAD'],
    ['/ui/', 'TRACE', 'GET, HEAD'],
    ['/ui/sign-out', 'GET', 'POST'],
    ['/ui/sign-in', 'PUT', 'GET, HEAD, POST'],
    ['/ui/events/x/replay', 'GET', 'POST'],
  ] as const) {
    const answer = await browser.send(path, { method })
    expect([path, method, answer.status, answer.headers.allow]).toEqual([path, method, 405, allow])
  }
  expect((await browser.send('/ui/', { method: 'HEAD' })).status).toBe(200)
})

it('a person without the scope of a page gets its name, and of the start page another page', async () => {
  const browser = await signedIn(['destinations.read'])
  const { status, body } = await browser.get('/ui/events/evt_1_0000000000')
  expect([status, body.includes('events.read, support.read')]).toEqual([403, true])
  expect(body).not.toContain(`<a href="/ui/">Find</a>`)
})

it('the language is that of the browser, or the chosen one', async () => {
  const browser = new TestBrowser(shared())
  const languageOf = async (headers: Record<string, string> = {}) =>
    /<html lang="([^"]+)">/.exec((await browser.get('/ui/sign-in', headers)).body)?.[1]
  expect(await languageOf()).toBe('en')
  expect(await languageOf({ 'accept-language': 'fr,pt-BR;q=0.8,en;q=0.5' })).toBe('pt-BR')
  expect(await languageOf({ 'accept-language': 'pt;q=0,en' })).toBe('en')
  await browser.send('/ui/language', { method: 'POST', form: { language: 'pt' } })
  expect(await languageOf({ 'accept-language': 'en' })).toBe('pt-BR')
  expect((await browser.get('/ui/sign-in')).body).toContain(
    'Começa com cli_. Deixe vazio para entrar como operador, com o token do operador no lugar do segredo.',
  )
})

it('files of the pages have a version in their path and are kept, others are not', async () => {
  const browser = new TestBrowser(shared())
  const { body } = await browser.get('/ui/sign-in')
  const path = /href="([^"]+app\.css)"/.exec(body)?.[1] as string
  const css = await browser.get(path)
  expect([css.headers['content-type'], css.headers['cache-control']]).toEqual([
    'text/css; charset=utf-8',
    'public, max-age=31536000, immutable',
  ])
  const old = await browser.get(path.replace(/assets\/[^/]+/, 'assets/0000000000000000'))
  expect([old.status, old.headers['cache-control']]).toEqual([200, 'no-store'])
  const plot = await browser.get(path.replace('app.css', 'uplot.js'))
  expect(plot.body.slice(-30)).toContain('export default uPlot')
})

it('the Host header is checked as for the API', async () => {
  const { status } = await new TestBrowser(shared()).get('/ui/', { host: 'harm.example' })
  expect(status).toBe(421)
})

it('behind a proxy that speaks TLS the cookie is secure', async () => {
  const browser = new TestBrowser(shared())
  const form = await newClient(shared(), ['events.read'])
  const headers = { 'x-forwarded-proto': 'https', origin: browser.origin.replace('http', 'https') }
  const signed = await browser.send('/ui/sign-in', { method: 'POST', form, headers })
  expect(signed.headers['set-cookie']?.[0]).toContain('; Secure')
})

it('the title, a message and the reason of an error show control and bidirectional characters as escapes', async () => {
  const browser = await signedIn()
  const hidden = encodeURIComponent('\u202eevil\u2066\u0007')
  const titleOf = (body: string) => /<title>([^<]*)<\/title>/.exec(body)?.[1]
  const found = await browser.get(`/ui/?search=${hidden}`)
  expect(titleOf(found.body)).toBe(`\\u202eevil\\u2066\\u0007 · Find · Portaria`)
  const frame: Frame = {
    assets: { pathOf: (name: string) => name } as Frame['assets'],
    t: speaker('en'),
    language: 'en',
    pages: [],
    here: '/',
    path: '/',
    viewer: null,
    formToken: null,
    flash: { text: 'no \u202eevil', quote: null, isError: true },
  }
  const error = new Refused({ status: 409, json: { detail: 'there is \u202eevil' } } as never)
  const page = errorPage(error, speaker('en'), { back: '/ui/', requestId: '1' }) as PageView
  const shown = String(layout(frame, page))
  expect(shown).toContain('no \\u202eevil')
  expect(shown).toContain('there is \\u202eevil')
  expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
})
