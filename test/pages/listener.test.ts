import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { callBack } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { TestBrowser } from './browser.ts'

const API = { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token' }
const PLACES = 'there is no endpoint at GET /: endpoints are below /v1, and /openapi.json describes them'
const TLS = { ...API, certificate: 'certs/server.crt', privateKey: 'certs/server.key' }

it('without pages, everything below /ui is 404 of the API', async () => {
  const gateway = await startTestGateway(await createSite({ api: { ...API, pages: 'off' } }))
  const browser = new TestBrowser(gateway)
  for (const path of ['/ui', '/ui/', '/ui/sign-in', '/ui/api/v1/events']) {
    const { status, body } = await browser.get(path)
    expect([path, status, JSON.parse(body).code]).toEqual([path, 404, 'not_found'])
  }
  expect((await browser.signIn()).status).toBe(404)
})

it('a browser at / is led to the pages; every other client learns where the endpoints are', async () => {
  const browser = new TestBrowser(await startTestGateway())
  const get = (path: string, accept?: string) => browser.send(path, { headers: accept === undefined ? {} : { accept } })
  const { status, headers } = await get('/?a=b', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
  expect([status, headers.location]).toEqual([303, '/ui/'])
  const others = [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/plain']
  for (const accept of others) {
    const { status, body } = await get('/', accept)
    expect([accept, status, JSON.parse(body)]).toMatchObject([accept, 404, { code: 'not_found', detail: PLACES }])
  }
  expect((await get('/nowhere', 'text/html')).status).toBe(404)
  expect((await browser.send('/', { method: 'POST', headers: { accept: 'text/html' } })).status).toBe(404)

  const without = new TestBrowser(await startTestGateway(await createSite({ api: { ...API, pages: 'off' } })))
  expect((await without.send('/', { headers: { accept: 'text/html' } })).status).toBe(404)
})

it('where client certificates are required, no page is shown without one, and a session works only with its own', async () => {
  const api = { ...TLS, clientCa: 'certs/trust/production.pem', clientCertificates: 'required' }
  const gateway = await startTestGateway(await createSite({ api }))
  const read = (file: string) => readFileSync(join(gateway.site.certs, file))
  const ca = read('server-ca.crt')
  const own = { ca, cert: read('service/production-client.crt'), key: read('service/production-client.key') }
  await expect(new TestBrowser(gateway, { ca }).get('/ui/sign-in')).rejects.toThrow()
  const browser = new TestBrowser(gateway, own)
  expect((await browser.signIn()).headers['set-cookie']?.[0]).toMatch(/; HttpOnly; Secure; SameSite=Strict$/)
  expect((await browser.get('/ui/')).status).toBe(200)
})

it('a session that began with a client certificate does not work without it', async () => {
  const api = { ...TLS, clientCa: 'certs/trust/production.pem', clientCertificates: 'optional' }
  const gateway = await startTestGateway(await createSite({ api }))
  const read = (file: string) => readFileSync(join(gateway.site.certs, file))
  const ca = read('server-ca.crt')
  const own = { ca, cert: read('service/production-client.crt'), key: read('service/production-client.key') }
  const [browser, thief] = [new TestBrowser(gateway, own), new TestBrowser(gateway, { ca })]
  await browser.signIn()
  for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
  expect((await browser.get('/ui/')).status).toBe(200)
  expect((await thief.get('/ui/')).status).toBe(303)
  expect((await thief.get('/ui/api/v1/events')).status).toBe(401)
})

it('the end of a session ends answers that are still being sent', async () => {
  const gateway = await startTestGateway()
  await callBack(gateway, { body: '{"identificador":"1"}' })
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const waiting = browser.get('/ui/api/v1/events?after=latest&wait=30')
  const cut = expect(waiting).rejects.toThrow()
  await browser.submit('/ui/', '/ui/sign-out')
  await cut
})
