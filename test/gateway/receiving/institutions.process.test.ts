import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../support/authority.ts'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { scrape } from '../../support/metrics.ts'
import { callByOpenssl, hasOpenssl } from '../../support/openssl.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const BODY = '{"identificador":"4711","status":"PAGO"}'

function requestOf(path: string): string {
  const head = ['host: localhost', 'content-type: application/json', `content-length: ${BODY.length}`]
  return [`POST ${path} HTTP/1.1`, ...head, 'connection: close', '', BODY].join('\r\n')
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])

/** A gateway with the unnamed institution of every test, and bank-a, which has the path and the kind of it too. */
async function startWithBank(destinations: readonly object[] = []) {
  const site = await createSite({ destinations })
  const { issue } = createAuthority(join(site.folder, 'bank-a'))
  const root = issue({ name: 'root', ca: true })
  const issuing = issue({ name: 'issuing', ca: true, issuer: root })
  const client = issue({ name: 'client', issuer: issuing })
  const bank = {
    name: 'bank-a',
    trust: [{ environment: 'production', chain: issuing.chainFile }],
    kinds: { payment: { path: '/callbacks/payment' }, transfer: { path: '/transfers', subject: '/id' } },
  }
  await createSite({ destinations, institutions: [bank] }, site.folder)
  const gateway = await startTestGateway(site)
  const callAsBank = (path: string) =>
    callByOpenssl(gateway.callbacks.port, ['-cert', client.certFile, '-key', client.keyFile], requestOf(path))
  return { gateway, callAsBank }
}

const traitsOf = async ({ api }: TestGateway, query: string) =>
  (await allEvents(api, query)).map(({ kind, institution, environment }) => [institution, environment, kind])

describe.skipIf(!hasOpenssl)('an institution of its own name', () => {
  it('is known by its chain; the same fact from two institutions is two facts, and each can be asked for', async () => {
    const { gateway, callAsBank } = await startWithBank()
    for (let again = 0; again < 2; again++) {
      expect((await callBack({ ...gateway }, { path: '/callbacks/payment', body: BODY })).status).toBe(200)
      expect(statusOf(await callAsBank('/callbacks/payment'))).toBe(200)
    }
    const ofBank = ['bank-a', 'production', 'payment']
    const ofOther = [null, 'production', 'payment']
    expect(await traitsOf(gateway, '')).toEqual([ofOther, ofBank])
    expect(await traitsOf(gateway, '&institution=bank-a')).toEqual([ofBank])
    expect(await traitsOf(gateway, '&institution=bank-a&environment=sandbox')).toEqual([])
    expect(await traitsOf(gateway, '&environment=production')).toEqual([ofOther, ofBank])
    const [event] = await allEvents(gateway.api, '&institution=bank-a')
    const shown = JSON.parse((await callApi(gateway.api, `/v1/events/${event?.id}`)).body)
    expect([shown.duplicates, shown.evidence.institution, shown.evidence.peer.subject]).toEqual([
      1,
      'bank-a',
      'CN=client',
    ])
    const labels = 'kind="payment",environment="production",result="stored"'
    const samples = await scrape(gateway)
    expect([
      samples[`portaria_callbacks_total{institution="bank-a",${labels}}`],
      samples[`portaria_callbacks_total{${labels}}`],
    ]).toEqual([1, 1])
  })

  it('reaches no path of another one, and no other one its paths: the refusal names the institution', async () => {
    const { gateway, callAsBank } = await startWithBank()
    expect(statusOf(await callAsBank('/callbacks/charge'))).toBe(404)
    expect((await callBack({ ...gateway }, { path: '/transfers', body: BODY })).status).toBe(404)
    expect(statusOf(await callAsBank('/transfers'))).toBe(200)
    const refusals = async (query: string) => {
      const { data } = JSON.parse((await callApi(gateway.api, `/v1/refusals?reason=unknown_path${query}`)).body)
      return (data as { institution: string | null; environment: string; detail: string }[]).map(
        ({ institution, environment, detail }) => [institution, environment, detail],
      )
    }
    const ofBank = ['bank-a', 'production', '/callbacks/charge']
    await until(async () => (await refusals('')).length === 2)
    expect(await refusals('')).toEqual(expect.arrayContaining([ofBank, [null, 'production', '/transfers']]))
    expect(await refusals('&institution=bank-a')).toEqual([ofBank])
  })

  it('a destination gets the events of the institutions that it names, with the name in a header', async () => {
    const receiver = await startReceiver()
    const { gateway, callAsBank } = await startWithBank([
      {
        name: 'books',
        url: receiver.url,
        institutions: ['bank-a'],
        secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      },
    ])
    expect((await callBack({ ...gateway }, { path: '/callbacks/payment', body: BODY })).status).toBe(200)
    expect(statusOf(await callAsBank('/transfers'))).toBe(200)
    await until(() => receiver.received.length === 1)
    const [request] = receiver.received
    expect([
      request?.headers['portaria-institution'],
      request?.headers['portaria-environment'],
      request?.headers['portaria-kind'],
    ]).toEqual(['bank-a', 'production', 'transfer'])
  })
})
