import { expect, it } from 'vitest'
import { CATALOGUES, LANGUAGES } from '../../src/messages/languages.ts'
import { callApi, callBack } from '../support/calls.ts'
import { startTestGateway } from '../support/gateway.ts'
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
  expect(body).toMatch(/<th scope="row">payment<\/th><td class="number">1<\/td>/)
  expect(body).toMatch(/<th scope="row">books<\/th><td><\/td><td><span class="badge warn">paused/)
  expect(body).toMatch(/<span data-value="p99">[0-9.]+ ms/)
  expect(body).toMatch(/<th scope="row">[^<]*server\.crt[^<]*<\/th><td>server<\/td>/)
  expect(body).not.toContain('style=')
})

it('the overview lists 50 destinations and counts the others', { timeout: 60_000 }, async () => {
  const gateway = await startTestGateway()
  for (let n = 0; n < 60; n++) {
    const body = { name: `destination-with-a-long-name-${n}`, url: `http://127.0.0.1:9/${n}` }
    await callApi(gateway.api, '/v1/destinations', { method: 'POST', body })
  }
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const { body } = await browser.get('/ui/overview')
  expect(body).toContain('There are 10 more')
  expect(body.length).toBeLessThan(60_000)
})

it.each(LANGUAGES)('the texts of reasons in %s have only values that are filled in', (language) => {
  for (const { text, nextStep } of Object.values(CATALOGUES[language].overview.reasons))
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
    { ...finding, level: 'problem', found: 'a problem', nextStep: 'do that' },
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
  const places = ['1 problem', 'a problem', 'do that', 'a &lt;b&gt;warning', 'until January', 'What is good (1)']
  const found = places.map((text) => body.indexOf(text))
  expect(found).toEqual([...found].filter((at) => at > 0).sort((one, two) => one - two))
  expect((await browser.get('/ui/check')).body).toContain('a problem')
  expect(runs).toHaveLength(1)
})
