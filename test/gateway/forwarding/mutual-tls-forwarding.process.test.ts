import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { loadConfig } from '../../../src/config/load-config.ts'
import { type Authority, createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { startReceiver } from '../../support/receiver.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

/** The certificates are made by openssl. */
const withOpenssl = it.skipIf(!hasOpenssl)

const SERVER = [
  'basicConstraints = critical,CA:FALSE',
  'keyUsage = critical,digitalSignature',
  'extendedKeyUsage = serverAuth',
  'subjectAltName = IP:127.0.0.1',
]

/** An integrator's system that asks for a client certificate of `clients`, with a certificate of its private CA. */
async function startIntegrator({ issue }: Authority, clients: IssuedCertificate, rejectUnauthorized = true) {
  const authority = issue({ name: 'integrator-ca', ca: true })
  const own = issue({ name: 'integrator', issuer: authority, extensions: SERVER })
  const callers: string[] = []
  const server = createServer(
    { cert: own.chain, key: readFileSync(own.keyFile), ca: clients.cert, requestCert: true, rejectUnauthorized },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate()
      callers.push(String(subject?.CN))
      request.resume().on('end', () => response.end('ok'))
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, authority, callers }
}

const FORWARDING = { allowedNetworks: ['127.0.0.0/8'], schedule: ['0s'], timeout: '2s' }

async function prepare(days = 30) {
  const authority = createAuthority(temporaryFolder())
  const clients = authority.issue({ name: 'clients-ca', ca: true })
  const dates = days < 0 ? { notBefore: new Date(Date.now() + days * 2 * 86_400_000) } : {}
  const client = authority.issue({ name: 'gateway', issuer: clients, days, ...dates })
  const integrator = await startIntegrator(authority, clients)
  const clientCertificate = { certificate: client.chainFile, privateKey: client.keyFile }
  return { authority, clients, client, integrator, clientCertificate }
}

const destinationsOf = async (gateway: TestGateway) =>
  JSON.parse((await callApi(gateway.api, '/v1/destinations')).body).data as Record<string, unknown>[]
const deliveriesOf = async (gateway: TestGateway) =>
  JSON.parse((await callApi(gateway.api, '/v1/deliveries')).body).data as Record<string, unknown>[]
const endOf = (gateway: TestGateway) =>
  until(
    () => deliveriesOf(gateway),
    (all) => all.length > 0 && all.every(({ state }) => state !== 'pending'),
  )

withOpenssl(
  'a destination sees the gateway’s own client certificate, and is known by its private CA alone',
  async () => {
    const { integrator, clientCertificate, authority } = await prepare()
    const other = authority.issue({ name: 'other-ca', ca: true })
    const site = await createSite({
      forwarding: { ...FORWARDING, clientCertificate },
      destinations: [
        { name: 'configured', url: integrator.url, ca: integrator.authority.certFile },
        { name: 'public-roots', url: integrator.url },
        { name: 'wrong-ca', url: integrator.url, ca: other.certFile },
      ],
    })
    const gateway = await startTestGateway(site)
    const create = (name: string, authorities: string) =>
      callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name, url: integrator.url, authorities } })
    expect((await create('made', integrator.authority.cert)).status).toBe(201)
    expect((await create('bad', 'no certificate')).status).toBe(400)
    await callBack(gateway, { body: '{"identificador":"1"}' })
    const ended = await endOf(gateway)
    expect(ended.map(({ destinationName, state }) => `${destinationName}: ${state}`).sort()).toEqual([
      'configured: delivered',
      'made: delivered',
      'public-roots: exhausted',
      'wrong-ca: exhausted',
    ])
    expect(integrator.callers).toEqual(['gateway', 'gateway'])
    for (const { lastError } of ended.filter(({ state }) => state === 'exhausted'))
      expect(lastError).toMatch(/^TLS handshake failed: /)
  },
)

withOpenssl('without a client certificate of its own the gateway is turned away by such a destination', async () => {
  const { integrator } = await prepare()
  const destinations = [{ name: 'books', url: integrator.url, ca: integrator.authority.certFile }]
  const gateway = await startTestGateway(await createSite({ forwarding: FORWARDING, destinations }))
  await callBack(gateway, { body: '{"identificador":"1"}' })
  expect(await endOf(gateway)).toMatchObject([{ state: 'exhausted' }])
  expect(integrator.callers).toEqual([])
})

withOpenssl.each([
  ['expired', /expired on/],
  ['missing', /cannot be used: /],
])(
  'with its file %s nothing is sent: the destination is paused and says why; receiving and plain http go on',
  async (what, reason) => {
    const { authority, clients, client, integrator, clientCertificate } = await prepare(what === 'expired' ? -1 : 30)
    if (what === 'missing') rmSync(client.keyFile)
    const receiver = await startReceiver()
    const site = await createSite({
      forwarding: { ...FORWARDING, clientCertificate },
      destinations: [
        { name: 'books', url: integrator.url, ca: integrator.authority.certFile },
        { name: 'plain', url: receiver.url },
      ],
    })
    const gateway = await startTestGateway(site)
    expect((await callBack(gateway, { body: '{"identificador":"1"}' })).status).toBe(200)
    await until(() => receiver.received.length === 1)
    const [books, plain] = await until(
      () => destinationsOf(gateway),
      (all) => all[0]?.state === 'paused',
    )
    expect(books).toMatchObject({ pauseReason: expect.stringMatching(reason), waiting: 1 })
    expect(plain).toMatchObject({ state: 'active' })
    expect(gateway.lines.filter(({ event }) => event === 'destination.paused')).toMatchObject([
      { level: 'error', destination: 'books', reason: expect.stringMatching(reason) },
    ])
    // It would be paused again at once.
    expect(await callApi(gateway.api, '/v1/destinations/books/resume', { method: 'POST' })).toMatchObject({
      status: 409,
      body: expect.stringContaining('books stays paused: the client certificate'),
    })
    // Not even a test event, where there is none to show.
    const tested = await callApi(gateway.api, '/v1/destinations/books/test', { method: 'POST' })
    expect(JSON.parse(tested.body)).toMatchObject({ ok: false })
    expect(await callApi(gateway.api, '/v1/destinations/plain/test', { method: 'POST' })).toMatchObject({
      body: expect.stringContaining('"ok":true'),
    })
    expect(integrator.callers).toEqual([])
    await gateway.stop()

    // With a good certificate and a restart everything arrives.
    const renewed = authority.issue({ name: 'gateway-2', issuer: clients })
    const config = parse(readFileSync(site.configFile, 'utf8')) as object
    const renewedFiles = { certificate: renewed.chainFile, privateKey: renewed.keyFile }
    writeFileSync(
      site.configFile,
      stringify({ ...config, forwarding: { ...FORWARDING, clientCertificate: renewedFiles } }),
    )
    const again = await startTestGateway(site)
    await until(
      () => deliveriesOf(again),
      (all) => all.every(({ state }) => state === 'delivered'),
    )
    expect(integrator.callers).toEqual(['gateway-2'])
  },
)

it('a renewed client certificate is shown from the next connection on; where it had expired, sending resumes by itself', async () => {
  const { authority, clients, client, integrator, clientCertificate } = await prepare(-1)
  const destinations = [{ name: 'books', url: integrator.url, ca: integrator.authority.certFile }]
  const site = await createSite({ forwarding: { ...FORWARDING, clientCertificate }, destinations })
  const gateway = await startTestGateway(site)
  const install = (renewed: IssuedCertificate) => {
    writeFileSync(client.keyFile, readFileSync(renewed.keyFile))
    writeFileSync(client.chainFile, renewed.chain)
  }
  const renewals = () => gateway.lines.filter(({ event }) => event === 'certificate.renewed').length
  await callBack(gateway, { body: '{"identificador":"1"}' })
  await until(
    () => destinationsOf(gateway),
    (all) => all[0]?.state === 'paused',
  )

  install(authority.issue({ name: 'gateway-2', issuer: clients }))
  await until(() => renewals() === 1)
  await until(() => integrator.callers.length === 1)
  expect(await destinationsOf(gateway)).toMatchObject([{ state: 'active', pauseReason: null }])

  install(authority.issue({ name: 'gateway-3', issuer: clients }))
  await until(() => renewals() === 2)
  await callBack(gateway, { body: '{"identificador":"2"}' })
  await until(() => integrator.callers.length === 2)
  expect(integrator.callers).toEqual(['gateway-2', 'gateway-3'])

  // A bad one takes nothing away.
  writeFileSync(client.keyFile, 'garbage')
  await until(() => gateway.lines.some(({ event }) => event === 'certificate.not_renewed'))
  await callBack(gateway, { body: '{"identificador":"3"}' })
  await until(() => integrator.callers.length === 3)
})

withOpenssl.each([['expired'], ['missing']])(
  'one that a reload brings and that is %s closes the way, too: nothing is sent without it, though nothing was shown before',
  async (what) => {
    const { authority, clients, client } = await prepare(what === 'expired' ? -1 : 30)
    if (what === 'missing') rmSync(client.keyFile)
    // It lets in a caller that shows nothing.
    const open = await startIntegrator(createAuthority(temporaryFolder()), clients, false)
    const destinations = [{ name: 'books', url: open.url, ca: open.authority.certFile }]
    const site = await createSite({ forwarding: FORWARDING, destinations })
    const gateway = await startTestGateway(site)
    await callBack(gateway, { body: '{"identificador":"1"}' })
    await until(() => open.callers.length === 1)

    const reloadWith = async (forwarding: object) => {
      const config = parse(readFileSync(site.configFile, 'utf8')) as object
      writeFileSync(site.configFile, stringify({ ...config, forwarding }))
      await gateway.reload(loadConfig(site.configFile))
    }
    const clientCertificate = { certificate: client.chainFile, privateKey: client.keyFile }
    await reloadWith({ ...FORWARDING, clientCertificate })
    await callBack(gateway, { body: '{"identificador":"2"}' })
    const [books] = await until(
      () => destinationsOf(gateway),
      (all) => all[0]?.state === 'paused',
    )
    expect(books).toMatchObject({ waiting: 1, pauseReason: expect.stringContaining('the client certificate') })
    expect(gateway.lines.filter(({ event }) => event === 'certificate.warning')).toMatchObject([
      { level: 'error', warning: expect.stringContaining('the client certificate') },
    ])

    const renewed = authority.issue({ name: 'gateway-2', issuer: clients })
    writeFileSync(client.keyFile, readFileSync(renewed.keyFile), { mode: 0o600 })
    writeFileSync(client.chainFile, renewed.chain)
    await until(() => gateway.lines.filter(({ event }) => event === 'certificate.renewed').length === 2)
    await callApi(gateway.api, '/v1/destinations/books/resume', { method: 'POST' })
    await until(() => open.callers.length === 2)
    expect(open.callers).toEqual(['undefined', 'gateway-2'])
  },
)

withOpenssl(
  'the file of a private CA counts as it is now, without a restart; a damaged one changes nothing',
  async () => {
    const { integrator, clientCertificate, authority } = await prepare()
    const other = authority.issue({ name: 'other-ca', ca: true })
    const site = await createSite({
      forwarding: { ...FORWARDING, clientCertificate },
      destinations: [{ name: 'books', url: integrator.url, ca: 'certs/receiver-ca.pem' }],
    })
    const ca = join(site.certs, 'receiver-ca.pem')
    writeFileSync(ca, other.cert)
    const gateway = await startTestGateway(site)
    const [books] = await destinationsOf(gateway)
    const isTrusted = async () => {
      const { body } = await callApi(gateway.api, `/v1/destinations/${books?.id}/test`, { method: 'POST' })
      return (JSON.parse(body) as { ok: boolean }).ok
    }
    expect(await isTrusted()).toBe(false)

    writeFileSync(ca, integrator.authority.cert)
    await until(isTrusted)
    writeFileSync(ca, integrator.authority.cert.slice(0, 300))
    const told = await until(() => gateway.lines.find(({ event }) => event === 'certificate.not_renewed'))
    expect(told).toMatchObject({
      what: 'the private authorities of destinations',
      problem: expect.stringContaining(`ca of destination books: ${ca} its file must hold CA certificates`),
    })
    expect(await isTrusted()).toBe(true)
  },
)
