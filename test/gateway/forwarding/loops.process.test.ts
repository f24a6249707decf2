import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { createSite, OPERATOR_TOKEN, startTestGateway, type TestGateway, type TestSite } from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const run = promisify(execFile)
/** Longer than what is kept of other headers. */
const LONG = 'x'.repeat(1500)
const TOKEN = randomBytes(32).toString('hex')

/** Takes charges by plain http, and shows destinations the service's own certificate. */
async function aSite(): Promise<TestSite> {
  const site = await createSite({
    chargeNotifications: { host: '127.0.0.1', port: 0, tokens: [{ environment: 'production', tokenFile: 'token' }] },
    forwarding: {
      allowedNetworks: ['127.0.0.0/8', '::1'],
      schedule: ['0s', '50ms'],
      clientCertificate: {
        certificate: 'certs/service/production-client.crt',
        privateKey: 'certs/service/production-client.key',
      },
    },
  })
  writeFileSync(join(site.folder, 'token'), TOKEN, { mode: 0o600 })
  return site
}

const chargesOf = ({ charges }: TestGateway) => `http://127.0.0.1:${charges?.port}/charges/${TOKEN}`

async function forward(gateway: TestGateway, name: string, url: string, more: object = {}) {
  const { status, body } = await callApi(gateway.api, '/v1/destinations', {
    method: 'POST',
    body: { name, url, ...more },
  })
  expect([status, status === 201 ? '' : body]).toEqual([201, ''])
}

interface Delivery {
  readonly destination: string
  readonly state: string
  readonly lastError: string | null
  readonly lastStatus: number | null
}

const endOfDeliveries = (gateway: TestGateway, count: number) =>
  until(
    async () => JSON.parse((await callApi(gateway.api, '/v1/deliveries')).body).data as Delivery[],
    (all) => all.length === count && all.every(({ state }) => state !== 'pending'),
  )

const refusalsOf = async (gateway: TestGateway, count: number) =>
  until(
    async () => JSON.parse((await callApi(gateway.api, '/v1/refusals')).body).data as Record<string, unknown>[],
    (all) => all.length >= count,
  )

describe('a destination that leads back to the gateway', () => {
  it('is refused by each listener before anything is stored, and its failure says so', async () => {
    const gateway = await startTestGateway(await aSite())
    const authorities = readFileSync(join(gateway.site.certs, 'server-ca.crt'), 'utf8')
    await forward(gateway, 'callbacks', `https://localhost:${gateway.callbacks.port}/callbacks/payment`, {
      authorities,
    })
    await forward(gateway, 'charges', chargesOf(gateway))
    await forward(gateway, 'api', `http://127.0.0.1:${gateway.api.port}/v1/destinations`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    })
    expect(await callBack(gateway, { body: '{"identificador":"42"}' })).toMatchObject({ status: 200 })

    const error = "the destination leads back to this gateway's own listener (HTTP 508): correct its URL"
    const ended = await endOfDeliveries(gateway, 3)
    expect(ended.map(({ destination: _, ...rest }) => rest)).toMatchObject(
      Array.from({ length: 3 }, () => ({ state: 'exhausted', lastStatus: 508, lastError: error })),
    )
    expect(await allEvents(gateway.api, '&kind=payment,charge,registration')).toHaveLength(1)
    const refusals = await refusalsOf(gateway, 6)
    const count = (listener: string) =>
      refusals.filter((one) => one.listener === listener && one.code === 'loop').length
    expect(['callbacks', 'charges', 'api'].map(count)).toEqual([2, 2, 2])
    expect(refusals.find(({ listener }) => listener === 'callbacks')).toMatchObject({
      reason: 'this gateway has sent the request itself (CDN-Loop): a destination leads back here',
      environment: 'production',
      detail: '/callbacks/payment',
    })
    expect(JSON.stringify(refusals)).not.toContain(TOKEN)
  })

  it('is refused behind another gateway, which names both', async () => {
    const [first, second] = [await startTestGateway(await aSite()), await startTestGateway(await aSite())]
    const receiver = await startReceiver()
    await forward(first, 'second', chargesOf(second))
    await forward(second, 'first', chargesOf(first))
    await forward(second, 'app', receiver.url)
    await callBack(first, { body: '{"identificador":"42"}', headers: { 'cdn-loop': `edge.example; v=${LONG}` } })

    expect(await endOfDeliveries(first, 1)).toMatchObject([{ state: 'delivered' }])
    const [received] = await until(
      () => receiver.received,
      (all) => all.length === 1,
    )
    expect(received?.headers['cdn-loop']).toMatch(
      new RegExp(`^edge\\.example; v=${LONG}, portaria-[0-9a-f]{16}, portaria-[0-9a-f]{16}$`),
    )
    const failed = (await endOfDeliveries(second, 2)).filter(({ state }) => state === 'exhausted')
    expect(failed).toMatchObject([
      {
        lastError: 'answered HTTP 508: the destination leads back to a system that this event has passed',
        lastStatus: 508,
      },
    ])
    expect(await allEvents(first.api, '&kind=payment,charge')).toHaveLength(1)
  })

  it('is known by a name that a restart does not change', async () => {
    const site = await aSite()
    const receiver = await startReceiver()
    for (const text of ['1', '2']) {
      const gateway = await startTestGateway(site)
      if (text === '1') await forward(gateway, 'app', receiver.url)
      await callBack(gateway, { body: `{"identificador":"${text}"}` })
      await until(
        () => receiver.received,
        (all) => all.length === Number(text),
      )
      await gateway.stop()
    }
    const [one, other] = receiver.received.map(({ headers }) => headers['cdn-loop'])
    expect([one, other]).toEqual([expect.stringMatching(/^portaria-[0-9a-f]{16}$/), one])
    const untrusted = await startTestGateway(await aSite())
    const url = chargesOf(untrusted)
    const { stdout } = await run('curl', [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-d',
      'token=1',
      '-H',
      `cdn-loop: ${one}`,
      url,
    ])
    expect(stdout).toBe('200')
  })

  it('cannot hide it behind a header of its own', async () => {
    const gateway = await startTestGateway(await aSite())
    const { status, body } = await callApi(gateway.api, '/v1/destinations', {
      method: 'POST',
      body: { name: 'hidden', url: chargesOf(gateway), headers: { 'CDN-Loop': 'nobody' } },
    })
    expect([status, body]).toEqual([400, expect.stringContaining('is set by the gateway itself')])
  })
})
