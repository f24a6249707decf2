import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { checkConfiguration } from '../../../src/cli/check/configuration.ts'
import { markAccepted } from '../../../src/cli/check/finding.ts'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { callByOpenssl, hasOpenssl } from '../../support/openssl.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
const run = promisify(execFile)

const PAYMENT = 'paym0f1e2d3c4b5a69788796a5b4c3d2e1f0'
const SANDBOX = 'sand0f1e2d3c4b5a69788796a5b4c3d2e1f0'
const REGISTRATION = 'regi0f1e2d3c4b5a69788796a5b4c3d2e1f0'
const FILES = { payment: PAYMENT, sandbox: SANDBOX, registration: REGISTRATION }
const CHARGES = {
  host: '127.0.0.1',
  port: 0,
  certificate: 'certs/server.crt',
  privateKey: 'certs/server.key',
  pathTokens: [
    { environment: 'production', kind: 'payment', tokenFile: 'payment' },
    { environment: 'sandbox', kind: 'payment', tokenFile: 'sandbox' },
    { environment: 'production', kind: 'registration', tokenFile: 'registration' },
  ],
}

async function aSite(changes: object = {}) {
  const site = await createSite({ chargeNotifications: { ...CHARGES, ...changes } })
  for (const [name, token] of Object.entries(FILES)) writeFileSync(join(site.folder, name), token, { mode: 0o600 })
  return site
}

/** The status that curl gets without a client certificate, and 0 without an answer. */
async function curl({ site, charges }: TestGateway, path: string, body: string, ...more: string[]): Promise<number> {
  const url = `https://127.0.0.1:${charges?.port}${path}`
  const settings = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '--cacert', join(site.certs, 'server-ca.crt')]
  const sent = ['-H', 'content-type: application/json', '--data-binary', body, ...more, url]
  const { stdout } = await run('curl', [...settings, ...sent]).catch((error: { stdout: string }) => error)
  return Number(stdout)
}

async function withDestination(gateway: TestGateway, name: string, authentication: 'any' | 'mutual-tls') {
  const receiver = await startReceiver()
  const body = { url: receiver.url, name, authentication }
  expect((await callApi(gateway.api, '/v1/destinations', { method: 'POST', body })).status).toBe(201)
  return receiver
}

it.skipIf(!hasCurl)('a secret in the path or as hmac takes the place of a client certificate', async () => {
  const gateway = await startTestGateway(await aSite())
  const [any, strict] = [
    await withDestination(gateway, 'any', 'any'),
    await withDestination(gateway, 'strict', 'mutual-tls'),
  ]
  expect(await curl(gateway, `/callbacks/payment/${PAYMENT}`, '{"identificador":"1"}')).toBe(200)
  expect(await curl(gateway, `/callbacks/payment/${PAYMENT}/pix`, '{"identificador":"2"}')).toBe(200)
  expect(await curl(gateway, `/callbacks/payment?hmac=${SANDBOX}`, '{"identificador":"3"}')).toBe(200)
  expect(await curl(gateway, `/callbacks/payment?x=&hmac=${PAYMENT}/pix`, '{"identificador":"4"}')).toBe(200)
  expect(await curl(gateway, `/callbacks/registration?hmac=${REGISTRATION}`, '{"id":"5"}')).toBe(200)
  expect((await callBack(gateway, { body: '{"identificador":"6"}' })).status).toBe(200)

  const events = await allEvents(gateway.api)
  expect(events.map(({ kind, environment, authentication }) => [kind, environment, authentication])).toEqual([
    ['payment', 'production', 'path-token'],
    ['payment', 'production', 'path-token'],
    ['payment', 'sandbox', 'path-token'],
    ['payment', 'production', 'path-token'],
    ['registration', 'production', 'path-token'],
    ['payment', 'production', 'mutual-tls'],
  ])
  const { body } = await callApi(gateway.api, `/v1/events/${events[3]?.id}`)
  expect(JSON.parse(body)).toMatchObject({
    evidence: { listener: 'charges', target: '/callbacks/payment?hmac=paym…', peer: null, tlsVersion: 'TLSv1.3' },
  })
  await until(() => any.received.length === 6 && strict.received.length > 0)
  expect(any.received.map(({ headers }) => headers['portaria-authentication']).sort()).toEqual(
    ['mutual-tls', ...Array(5).fill('path-token')].sort(),
  )
  const deliveries = JSON.parse((await callApi(gateway.api, '/v1/deliveries?destination=strict')).body)
  expect(deliveries.data.map(({ event }: { event: string }) => event)).toEqual([events[5]?.id])
})

it.skipIf(!hasCurl)('the secrets are nowhere but in their files, whatever is sent', async () => {
  const gateway = await startTestGateway(await aSite())
  const big = ['-H', 'content-encoding: gzip']
  for (const at of [`/${PAYMENT}`, `/${PAYMENT}/x`, `/x/${PAYMENT}`, `?hmac=${PAYMENT}`, `?x=${PAYMENT}`]) {
    await curl(gateway, `/callbacks/payment${at}`, '{"identificador":"1"}')
    await curl(gateway, `/callbacks/payment${at}`, '{"identificador":"2"}', '-X', 'PUT')
    await curl(gateway, `/callbacks/payment${at}`, '{"identificador":"3"}', ...big)
    await curl(gateway, `/callbacks/payment${at}0`, '{"identificador":"4"}')
    await curl(gateway, `/elsewhere${at}`, '{"identificador":"5"}')
  }
  const detailsIn = ({ body }: { readonly body: string }) =>
    new Set(
      (JSON.parse(body).data as { code: string; detail: string | null }[]).map(
        ({ code, detail }) => `${code} ${detail}`,
      ),
    )
  const refused = await until(
    () => callApi(gateway.api, '/v1/refusals?listener=charges&limit=100'),
    (answer) => detailsIn(answer).size >= 9,
  )
  expect(detailsIn(refused)).toEqual(
    new Set([
      'wrong_method /callbacks/payment/paym…',
      'wrong_method /callbacks/payment?hmac=paym…',
      'encoded_body /callbacks/payment/paym…',
      'encoded_body /callbacks/payment',
      'unknown_token /callbacks/payment/paym…',
      'unknown_token /callbacks/payment?hmac=paym…',
      'unknown_path /callbacks/payment/paym…/…',
      'unknown_path /callbacks/payment',
      'unknown_path null',
    ]),
  )
  const events = await callApi(gateway.api, '/v1/events?kind=payment,operator')
  const ids = (JSON.parse(events.body).data as { id: string }[]).map(({ id }) => id)
  const evidence = await Promise.all(ids.map((id) => callApi(gateway.api, `/v1/events/${id}`)))
  await gateway.stop()
  const data = join(gateway.site.folder, 'data')
  const files = readdirSync(data).map((name) => readFileSync(join(data, name), 'latin1'))
  const texts = [JSON.stringify(gateway.lines), refused.body, events.body, ...evidence.map(({ body }) => body)]
  for (const text of [...texts, ...files]) expect(text).not.toContain(PAYMENT.slice(0, 8))
})

it.skipIf(!hasOpenssl)('a guess is answered before its body is read, and ends its connection', async () => {
  const gateway = await startTestGateway(await aSite())
  const head = `HTTP/1.1\r\nHost: x\r\nContent-Length: ${1 << 30}\r\n\r\n`
  for (const target of [`/callbacks/payment/${'0'.repeat(32)}`, `/callbacks/payment?hmac=${REGISTRATION}`]) {
    const answer = await callByOpenssl(gateway.charges?.port ?? 0, [], `POST ${target} ${head}`)
    expect(answer).toMatch(/^HTTP\/1\.1 404 .*^connection: close/ims)
  }
  // The callback listener takes no token.
  const withoutCertificate = `POST /callbacks/payment/${PAYMENT} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`
  expect(await callByOpenssl(gateway.callbacks.port, [], withoutCertificate)).toBe('')
  expect((await callBack(gateway, { path: `/callbacks/payment/${PAYMENT}` })).status).toBe(404)
  expect(await allEvents(gateway.api)).toEqual([])
})

it.skipIf(!hasCurl)('without pathTokens no secret is accepted, nor from an address that is not allowed', async () => {
  const tokens = [{ environment: 'production', tokenFile: 'payment' }]
  const off = await startTestGateway(await aSite({ tokens, pathTokens: undefined }))
  expect(await curl(off, `/callbacks/payment/${PAYMENT}`, '{}')).toBe(404)
  expect(await curl(off, `/callbacks/payment?hmac=${PAYMENT}`, '{}')).toBe(404)
  const elsewhere = await startTestGateway(await aSite({ allowedAddresses: ['192.0.2.0/24'] }))
  expect(await curl(elsewhere, `/callbacks/payment/${PAYMENT}`, '{}')).toBe(0)
  for (const gateway of [off, elsewhere]) expect(await allEvents(gateway.api)).toEqual([])
})

it('check names each kind that is weaker, and that charges still need a token; a reason accepts it', async () => {
  const { configFile } = await aSite({ allowedAddresses: ['192.0.2.0/24'] })
  const accepted = [{ code: 'charges.path_tokens' as const, what: 'path tokens of payment', reason: 'no mutual TLS' }]
  const findings = markAccepted(checkConfiguration(configFile).findings, accepted)
  const shown = findings.filter(({ code }) => code.startsWith('charges.'))
  expect(shown.map(({ code, what, level, accepted }) => [code, what, level, accepted])).toEqual([
    ['charges.off', 'charge listener', 'warning', null],
    ['charges.path_tokens', 'path tokens of payment', 'warning', 'no mutual TLS'],
    ['charges.path_tokens', 'path tokens of registration', 'warning', null],
  ])
  expect(shown[1]?.found).toMatch(/^taken from 192\.0\.2\.0\/24 without a client certificate: .* knows the secret/)
})
