import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CHARGES_ARE_OFF } from '../../../src/gateway/charges.ts'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import {
  createSite,
  type LogLine,
  serviceCredentials,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway.ts'
import { originalOf } from '../../support/raw-calls.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const TOKENS = { first: `aaaa${randomBytes(32).toString('hex')}`, second: `bbbb${randomBytes(32).toString('hex')}` }
const SANDBOX_TOKEN = `cccc${randomBytes(32).toString('hex')}`
const FORM = 'application/x-www-form-urlencoded'

/** Two tokens for production and one for the sandbox. */
async function startWithCharges(changes: Record<string, unknown> = {}): Promise<TestGateway> {
  const site = await createSite({
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      certificate: 'certs/server.crt',
      privateKey: 'certs/server.key',
      tokens: [
        { environment: 'production', tokenFile: 'first' },
        { environment: 'production', tokenFile: 'second' },
        { environment: 'sandbox', tokenFile: 'sandbox' },
      ],
      ...changes,
    },
  })
  const files = { ...TOKENS, sandbox: SANDBOX_TOKEN }
  for (const [name, token] of Object.entries(files))
    writeFileSync(join(site.folder, name), `${token}\n`, { mode: 0o600 })
  return startTestGateway(site)
}

interface Notification {
  readonly method?: string
  readonly type?: string
  readonly coding?: string
}

/** As the service does it: without a client certificate. */
function notify(gateway: TestGateway, path: string, body: string, options: Notification = {}): Promise<number> {
  const { method = 'POST', type = FORM, coding = '' } = options
  const { ca } = serviceCredentials(gateway.site)
  const at = {
    host: '127.0.0.1',
    port: gateway.charges?.port,
    path,
    method,
    headers: { 'content-type': type, 'content-encoding': coding },
  }
  return new Promise((resolve, reject) => {
    const request =
      gateway.config.chargeNotifications?.tls === null
        ? httpRequest({ ...at, agent: false })
        : httpsRequest({ ...at, ca, servername: 'localhost', agent: false })
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject)
    request.end(body)
  })
}

describe('a path behind the token', () => {
  it('is refused as a callback that is lost, with its environment and without the token', async () => {
    const gateway = await startWithCharges()
    const doubled = `/charges/${TOKENS.first}/charges/${TOKENS.first}`
    for (const path of [doubled, `/charges/${TOKENS.first}/pix`, `/charges/${'d'.repeat(64)}/pix`])
      expect(await notify(gateway, path, 'notification=t')).toBe(404)
    expect(await notify(gateway, `/charges/${SANDBOX_TOKEN}/health`, '', { method: 'GET' })).toBe(404)
    const { body } = await until(
      () => callApi(gateway.api, '/v1/refusals?listener=charges'),
      ({ body }) => JSON.parse(body).data.length === 4,
    )
    const seen = JSON.parse(body).data as { code: string; environment: string | null; detail: string | null }[]
    expect(seen.map(({ code, environment, detail }) => [code, environment, detail])).toEqual([
      ['unknown_path', 'production', '/charges/aaaa…/…'],
      ['unknown_path', 'production', '/charges/aaaa…/…'],
      ['unknown_path', null, null],
      ['no_callback', 'sandbox', '/charges/cccc…/…'],
    ])
    const raised = await until(
      () => allEvents(gateway.api, '&kind=operator'),
      ({ length }) => length > 0,
    )
    expect(raised.map(({ subject, status, environment }) => [subject, status, environment])).toEqual([
      ['unknown_path', 'refused', 'production'],
    ])
    expect(body + JSON.stringify(gateway.lines)).not.toContain(TOKENS.first.slice(0, 8))
  })
})

describe('the path token', () => {
  it('decides the environment; several are valid at once', async () => {
    const gateway = await startWithCharges()
    const paths = [TOKENS.first, TOKENS.second, SANDBOX_TOKEN, `${TOKENS.first}/`, `${TOKENS.first}?x=/pix`]
    for (const [number, token] of paths.entries())
      expect(await notify(gateway, `/charges/${token}`, `notification=t${number}`)).toBe(200)
    expect(await notify(gateway, `//charges//${SANDBOX_TOKEN}`, '{"charge_id":9}', { type: 'application/json' })).toBe(
      200,
    )

    const events = await allEvents(gateway.api)
    expect(events.map((event) => event.environment)).toEqual([
      'production',
      'production',
      'sandbox',
      'production',
      'production',
      'sandbox',
    ])
    for (const event of events)
      expect(event).toMatchObject({ kind: 'charge', authentication: 'path-token', mark: null })
    expect((await originalOf(gateway.api, events[0]?.id ?? '')).toString()).toBe('notification=t0')
  })

  const token = TOKENS.first

  it('must be exactly right, and stand exactly there', async () => {
    const gateway = await startWithCharges()
    const wrong = [
      '/',
      '/charges',
      '/charges/',
      `/charges/${token.slice(0, -1)}`,
      `/charges/${token.slice(1)}`,
      `/charges/${token.slice(0, 4)}`,
      `/charges/${token}0`,
      `/charges/0${token}`,
      `/charges/${token.toUpperCase()}`,
      `/charges/${token}/pix`,
      `/charges/x/${token}`,
      `/charges/${token}%00`,
      `/charges/%61${token.slice(1)}`,
      `/charges/${token};x`,
      `/Charges/${token}`,
      `/${token}`,
      `/?/charges/${token}`,
      `/charges/?token=${token}`,
      '/charges/__proto__',
      '/callbacks/charge',
    ]
    const statuses = await Promise.all(wrong.map((path) => notify(gateway, path, 'notification=t')))
    expect(statuses).toEqual(wrong.map(() => 404))
    expect(await allEvents(gateway.api, '&kind=charge,payment,probe')).toEqual([])
    const refused = gateway.lines.filter((line) => line.event === 'caller.refused')
    expect(refused).toHaveLength(wrong.length)
    // A token that is wrong, at the right path.
    expect(refused.filter(({ code }) => code === 'unknown_token')).toHaveLength(10)
    expect(refused.filter(({ code }) => code === 'unknown_path')).toHaveLength(10)
  })

  it('allows POST only', async () => {
    const gateway = await startWithCharges()
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD'])
      expect(await notify(gateway, `/charges/${token}`, '', { method })).toBe(405)
    const answer = await firstBytes(gateway, `GET /charges/${token} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 405 .*\r\nallow: POST\r\n/is)
    expect(await allEvents(gateway.api)).toEqual([])
  })

  it('refuses a body only where its content coding changes the bytes', async () => {
    const gateway = await startWithCharges()
    const answers: Record<string, number> = {}
    for (const coding of ['identity', 'UTF-8', 'gzip', 'identity, x-gzip'])
      answers[coding] = await notify(gateway, `/charges/${token}`, `notification=${coding}`, { coding })
    expect(answers).toEqual({ identity: 200, 'UTF-8': 200, gzip: 415, 'identity, x-gzip': 415 })
    expect(await allEvents(gateway.api)).toHaveLength(2)
  })

  it('that is wrong is answered before a body is read', async () => {
    const gateway = await startWithCharges()
    const answer = await firstBytes(
      gateway,
      `POST /charges/wrong HTTP/1.1\r\nHost: x\r\nContent-Length: ${1 << 30}\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    expect(answer).toMatch(/connection: close/i)
    expect(await allEvents(gateway.api, '&kind=charge,probe')).toEqual([])
  })

  it('is nowhere but in its file: neither in a log line nor in the evidence', async () => {
    const gateway = await startWithCharges()
    await notify(gateway, `/charges/${token}?a=${token}`, 'notification=t')
    await notify(gateway, `/charges/${token}x`, 'notification=t')
    await notify(gateway, `/charges/${token}`, '', { method: 'GET' })
    await firstBytes(gateway, `POST /charges/${token} HTTP/1.1\r\nbad header\r\n\r\n`)
    await firstBytes(gateway, `POST /charges/${token} HTTP/1.1\r\nHost: x\r\nContent-Encoding: br\r\n\r\n`)

    const [event] = await allEvents(gateway.api)
    const { body } = await callApi(gateway.api, `/v1/events/${event?.id}`)
    expect(JSON.parse(body)).toMatchObject({ evidence: { target: '/charges/aaaa…', listener: 'charges', peer: null } })
    expect(gateway.lines.map((line) => line.event)).toContain('caller.refused')
    for (const text of [body, JSON.stringify(gateway.lines), JSON.stringify(await allEvents(gateway.api))])
      expect(text).not.toContain(token.slice(0, 12))
  })
})

describe('the listener', () => {
  it('speaks plain http where it has no certificate', async () => {
    const gateway = await startWithCharges({ certificate: undefined, privateKey: undefined })
    expect(await notify(gateway, `/charges/${SANDBOX_TOKEN}`, 'notification=t')).toBe(200)
    expect(await notify(gateway, '/charges/wrong', 'notification=t')).toBe(404)
    const [event] = await allEvents(gateway.api)
    const { body } = await callApi(gateway.api, `/v1/events/${event?.id}`)
    expect(JSON.parse(body)).toMatchObject({
      environment: 'sandbox',
      authentication: 'path-token',
      evidence: { tlsVersion: null, cipher: null, remoteAddress: '127.0.0.1' },
    })
  })

  it.each([
    ['of other networks', ['10.0.0.0/8', '2001:db8::/32'], 'reset'],
    ['of this network', ['10.0.0.0/8', '127.0.0.0/8'], 200],
  ])('with allowedAddresses %s', async (_what, allowedAddresses, outcome) => {
    for (const tls of [{}, { certificate: undefined, privateKey: undefined }]) {
      const gateway = await startWithCharges({ allowedAddresses, ...tls })
      const answered = await notify(gateway, `/charges/${TOKENS.first}`, 'notification=t').catch(() => 'reset')
      expect(answered).toBe(outcome)
      expect(await allEvents(gateway.api)).toHaveLength(outcome === 200 ? 1 : 0)
      const reasons = gateway.lines.filter((line) => line.event === 'caller.refused').map((line) => line.reason)
      expect(reasons[0]).toBe(outcome === 200 ? undefined : 'its address is not allowed')
    }
  })

  it('leaves the callback listener as strict as it is', async () => {
    const gateway = await startWithCharges()
    const { ca } = serviceCredentials(gateway.site)
    const withoutCertificate = connect({ host: '127.0.0.1', port: gateway.callbacks.port, servername: 'localhost', ca })
    withoutCertificate.write(`POST /charges/${TOKENS.first} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`)
    const [error] = (await once(withoutCertificate, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toMatch(/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|ECONNRESET/)

    const withToken = { path: `/charges/${TOKENS.first}`, body: 'notification=t' }
    expect(await callBack(gateway, withToken)).toMatchObject({ status: 404 })
    expect(await notify(gateway, '/callbacks/payment', '{"a":1}')).toBe(404)
    expect(await callBack(gateway, { path: '/callbacks/charge', body: '{"charge_id":1}' })).toMatchObject({
      status: 200,
    })
    expect((await allEvents(gateway.api)).map((event) => event.authentication)).toEqual(['mutual-tls'])
  })

  it('that is off is said in one line, when charges are taken at all', async () => {
    const gateway = await startTestGateway()
    expect(gateway.charges).toBeNull()
    const offLines = ({ lines }: { lines: readonly LogLine[] }) => lines.filter(({ event }) => event === 'charges.off')
    expect(offLines(gateway)).toMatchObject([{ level: 'warn', reason: CHARGES_ARE_OFF }])
    const on = await startWithCharges()
    expect(offLines(on)).toEqual([])
  })
})

it('the same token form twice, and two charges of equal status and second, are four facts, kept and forwarded', async () => {
  const gateway = await startWithCharges()
  const receiver = await startReceiver()
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { url: receiver.url, name: 'books' } })
  const charge = (id: number) => `{"charge_id":${id},"status":{"current":"paid"},"created_at":"2026-01-15 12:00:00"}`
  const envelope = (entries: string) => `{"notification":{"token":"t","entries":[${entries}]}}`
  const send = (body: string, type?: string) =>
    notify(gateway, `/charges/${TOKENS.first}`, body, type === undefined ? {} : { type })

  expect(await send('notification=same')).toBe(200)
  expect(await send('notification=same')).toBe(200)
  expect(await send(envelope(`${charge(1)},${charge(2)}`), 'application/json')).toBe(200)

  const events = await allEvents(gateway.api)
  expect(events.map(({ subject, status, duplicates }) => [subject, status, duplicates])).toEqual([
    ['same', null, 0],
    ['same', null, 0],
    ['1', 'paid', 0],
    ['2', 'paid', 0],
  ])
  await until(
    () => receiver.received,
    (received) => received.length === 4,
  )
  expect(receiver.received.map(({ body }) => body.toString()).sort()).toEqual(
    ['notification=same', 'notification=same', envelope(charge(1)), envelope(charge(2))].sort(),
  )
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set(events.map(({ id }) => id)),
  )
  expect(receiver.received.map(({ headers }) => headers['portaria-authentication'])).toEqual(
    Array(4).fill('path-token'),
  )
})

/** What is answered to bytes that the test writes itself, up to the end of the connection. */
async function firstBytes(gateway: TestGateway, bytes: string): Promise<string> {
  const { ca } = serviceCredentials(gateway.site)
  const socket = connect({ host: '127.0.0.1', port: gateway.charges?.port ?? 0, servername: 'localhost', ca })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write(bytes)
  const [first] = (await once(socket, 'data')) as [Buffer]
  return first.toString('latin1')
}
