import { expect, it } from 'vitest'
import type { ReasonCode } from '../../src/domain/overview/reasons.ts'
import { REASON_CODES } from '../../src/domain/overview/reasons.ts'
import type { Scope } from '../../src/domain/scopes.ts'
import { LANGUAGES } from '../../src/messages/languages.ts'
import { reasonIn } from '../../src/messages/reasons.ts'
import { knownText } from '../../src/messages/say.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { stepOf } from '../../src/pages/check/next-steps.ts'
import type { Viewer } from '../../src/pages/frame/page.ts'
import { linksOf, placesFor } from '../../src/pages/overview/places.ts'
import { reasonHtml } from '../../src/pages/overview/reasons.ts'
import type { ReasonState } from '../../src/pages/overview/state.ts'
import { withTimes } from '../../src/pages/parts/time.ts'
import { COMMAND } from '../../src/platform/installation.ts'
import { callApi, callBack } from '../support/calls.ts'
import { startTestGateway } from '../support/gateway.ts'
import { startPages, submitted } from './api-pages.ts'
import { TestBrowser } from './browser.ts'

it('the overview shows the light, traffic, destinations and certificates without its module', async () => {
  const gateway = await startTestGateway()
  const destination = { name: 'books', url: 'http://127.0.0.1:9/hook' }
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: destination })
  await callApi(gateway.api, '/v1/destinations/books/pause', { method: 'POST' })
  await callBack(gateway, { body: '{"identificador":"1"}' })
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const { status, body } = await browser.get('/ui/overview')
  expect(status).toBe(200)
  expect(body).toContain('<p class="light yellow"')
  expect(body).toContain('the destination books is paused: its deliveries wait')
  expect(body).toMatch(
    /<th scope="row"><a href="\/ui\/\?kind=payment">payment<\/a><\/th><td class="number"[^>]*>1<\/td>/,
  )
  expect(body).toMatch(
    /<th scope="row"><a href="\/ui\/destinations\/dst_1">books<\/a><\/th>.*<span class="badge warn">paused/,
  )
  expect(body).toMatch(/<span data-value="p99">[0-9.]+ ms/)
  expect(body).toMatch(/<th scope="row">server\.crt<\/th><td[^>]*><a href="\/ui\/certificates\?set=server">/)
  expect(body).toContain('<a href="/ui/destinations/dst_1#actions">Resume the destination</a>')
  expect((await browser.get('/ui/destinations/dst_1')).body).toContain('<h2 id="actions">')
  expect(body).not.toContain('style=')
})

it('the overview lists 25 destinations and counts the others', { timeout: 60_000 }, async () => {
  const gateway = await startTestGateway()
  for (let n = 0; n < 60; n++) {
    const body = { name: `destination-with-a-long-name-${n}`, url: `http://127.0.0.1:9/${n}` }
    await callApi(gateway.api, '/v1/destinations', { method: 'POST', body })
  }
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const { body } = await browser.get('/ui/overview')
  expect(body).toContain('There are 35 more')
  expect(body.length).toBeLessThan(60_000)
})

const MANY: readonly Scope[] = ['operations.read', 'destinations.read', 'events.read']

it.each<[ReasonCode, string | null, readonly Scope[], readonly string[]]>([
  ['circuit_open', 'dst_7', MANY, ['/ui/destinations/dst_7#deliveries']],
  ['circuit_open', null, MANY, []],
  ['circuit_open', 'dst_7', ['operations.read'], []],
  ['subjects_held', 'dst_7', MANY, ['/ui/destinations/dst_7?state=exhausted#deliveries']],
  ['consumer_behind', 'operator/b?oks', MANY, ['/ui/consumers/operator/b%3Foks']],
  ['callbacks_refused', null, MANY, ['/ui/refusals', '/ui/check']],
  ['quarantine_waiting', null, MANY, ['/ui/quarantine']],
  ['certificate_expiring', null, MANY, ['/ui/certificates']],
  ['search_behind', null, MANY, ['/ui/check']],
  ['outage', null, MANY, ['/ui/gaps']],
  ['outage', null, [...MANY, 'operations.write'], ['/ui/gaps#reconcile', '/ui/gaps']],
  ['clock_implausible', null, MANY, []],
])('the reason %s about %j leads to what the person may open', (code, about, scopes, expected) => {
  const viewer: Viewer = { id: 'c', name: 'c', environment: 'any', can: (scope) => scopes.includes(scope) }
  const reason = { code, about } as ReasonState
  const links = linksOf(reason, placesFor(viewer, speaker('en'))).map(String)
  expect(links.map((link) => /href="([^"]+)"/.exec(link)?.[1])).toEqual(expected)
})

it('the operator alone is led to the button that confirms the clock, which is recorded with its reason', async () => {
  const operator: Viewer = { id: 'operator', name: null, environment: 'any', can: () => true }
  const reason = { code: 'clock_implausible', about: null } as ReasonState
  expect(linksOf(reason, placesFor(operator, speaker('pt'))).map(String)).toEqual([
    ' <a href="/ui/check#clock">Confirmar o relógio</a>',
  ])
  const { api, browser, openAs } = await startPages()
  expect((await browser.get('/ui/check')).body).toContain('id="clock"')
  const { flash } = await submitted(browser, '/ui/check', '/ui/check/clock', { reason: 'compared' })
  expect(flash).toBe('good: The clock is confirmed.')
  expect(await api.store.listActions({}, 9)).toMatchObject({
    actions: [{ action: 'confirmClock', reason: 'compared' }],
  })
  const reader = await openAs(['operations.read', 'operations.write'])
  expect((await reader.get('/ui/check')).body).not.toContain('/ui/check/clock')
})

it('times and environments of reasons are written as everywhere', () => {
  const text = String(withTimes('de 2026-11-27T14:00Z – 2026-11-27T14:05:01Z'))
  expect(text).toBe(
    'de <time datetime="2026-11-27T14:00Z">2026-11-27 14:00:00</time> – <time datetime="2026-11-27T14:05:01Z">2026-11-27 14:05:01</time>',
  )
  const reason = { subject: null, about: null, value: 3, detail: null, until: null, others: 0, severity: 'problem' }
  const shown = (changes: object) => String(reasonHtml({ ...reason, ...changes } as ReasonState, {}, speaker('pt')))
  expect(shown({ code: 'callbacks_refused', subject: '/x', detail: '404, production' })).toContain('(404, produção)')
  expect(shown({ code: 'service_failing', subject: 'payments (production)' })).toContain('payments (produção)')
})

it.each(LANGUAGES)('no step of the overview in %s is a command without who runs it', (language) => {
  for (const { nextStep } of REASON_CODES.flatMap((code) => reasonIn(code, speaker(language)) ?? []))
    if (nextStep.includes(COMMAND)) expect(nextStep).toMatch(/operator|operador/)
})

it.each(LANGUAGES)('the texts of reasons in %s have only values that are filled in', (language) => {
  for (const { text, nextStep } of REASON_CODES.flatMap((code) => reasonIn(code, speaker(language)) ?? []))
    expect(`${text} ${nextStep}`.match(/\{(?!(?:subject|detail|until|count|span)\})/)).toBeNull()
})

it('the check shows its last report, problems first, and runs again when it is asked to', async () => {
  const finding = {
    area: 'storage',
    code: 'a.b',
    what: 'x',
    level: 'good',
    found: 'well',
    nextStep: null,
    accepted: null,
  }
  const findings = [
    finding,
    { ...finding, level: 'warning', found: 'a <b>warning</b>', nextStep: 'do this' },
    { ...finding, code: 'space_out', level: 'problem', found: 'a problem', nextStep: 'df -h' },
    { ...finding, level: 'warning', found: 'known', accepted: 'until January' },
  ]
  const summary = { ok: false, good: 1, warnings: 1, problems: 1, accepted: 1 }
  const runs: string[][] = []
  const runCheck = async () => {
    runs.push([...findings, summary].map((line) => JSON.stringify(line)))
    return runs.at(-1) as string[]
  }
  const gateway = await startTestGateway(undefined, { runCheck })
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  expect((await browser.get('/ui/check')).body).toContain('No check has run since the gateway started.')
  await browser.get('/ui/check?run=1')
  expect((await browser.get('/ui/api/v1/check')).status).toBe(403)
  expect(runs).toEqual([])
  const { status, headers } = await browser.submit('/ui/check', '/ui/check')
  expect([status, headers.location, runs.length]).toEqual([303, '/ui/check', 1])
  const { body } = await browser.get('/ui/check')
  const step = stepOf('space_out', speaker('en')) ?? ''
  const places = ['1 problem', 'a problem', step, 'a &lt;b&gt;warning', 'until January', 'What is good (1)']
  const found = places.map((text) => body.indexOf(text))
  expect(found).toEqual([...found].filter((at) => at > 0).sort((one, two) => one - two))
  expect((await browser.get('/ui/check')).body).toContain('a problem')
  expect(runs).toHaveLength(1)
})

it('the check in Portuguese says by code what was found, and quotes the report with its values', async () => {
  const about = { area: 'certificates', what: 'callbacks: dates', accepted: null }
  const findings = [
    {
      ...about,
      ...{
        code: 'certificate.expiring',
        level: 'warning',
        found: '"CN=x" will end soon',
        nextStep: 'run portaria certs',
      },
    },
    { ...about, code: 'certificates.good', level: 'good', found: 'names a.example', nextStep: null },
  ]
  const summary = { ok: true, good: 1, warnings: 1, problems: 0, accepted: 0 }
  const runCheck = async () => [...findings, summary].map((line) => JSON.stringify(line))
  const gateway = await startTestGateway(undefined, { runCheck })
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  await browser.submit('/ui/check', '/ui/check')
  const { body } = await browser.get('/ui/check', { 'accept-language': 'pt-BR' })
  expect(body).toContain('<th scope="row">callbacks: datas</th>')
  expect(body).toContain(
    `${knownText('certificate.expiring', 'pt', 'finding')}<details><summary>Detalhe</summary><q lang="en">&quot;CN=x&quot; will end soon</q></details>`,
  )
  const link = '<a href="/ui/certificates">Certificados</a>'
  expect(body).toContain(
    `${stepOf('certificate.expiring', speaker('pt'))} ${link} <a class="code" href="/ui/codes?code=certificate.expiring"><code>certificate.expiring</code></a>`,
  )
  expect(body).toContain('<td data-title="Encontrado">vale para a.example</td>')
  const english = await browser.get('/ui/check', { 'accept-language': 'en' })
  expect(english.body).not.toContain('<q ')
  expect(english.body).toContain('&quot;CN=x&quot; will end soon')
  expect(english.body).not.toContain('run portaria certs')
  expect(english.body).toContain(
    `${stepOf('certificate.expiring', speaker('en'))} <a href="/ui/certificates">Certificates</a>`,
  )
})
