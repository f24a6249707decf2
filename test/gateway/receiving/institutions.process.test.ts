import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../../../src/cli/check.ts'
import { createAuthority } from '../../support/authority.ts'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
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

interface BankOptions {
  readonly environment?: 'production' | 'sandbox'
  readonly alertAfter?: string
  readonly callbacks?: object
  readonly destinations?: readonly object[]
  readonly validation?: boolean
}

/** A gateway with the unnamed institution of every test, and bank-a, which has the path and the kind of it too. */
async function startWithBank({
  environment = 'production',
  alertAfter,
  validation = false,
  ...changes
}: BankOptions = {}) {
  const site = await createSite(changes)
  const { issue } = createAuthority(join(site.folder, 'bank-a'))
  const root = issue({ name: 'root', ca: true })
  const issuing = issue({ name: 'issuing', ca: true, issuer: root })
  const client = issue({ name: 'client', issuer: issuing })
  const bank = {
    name: 'bank-a',
    trust: [{ environment, chain: issuing.chainFile }],
    kinds: {
      payment: { path: '/callbacks/payment', ...(alertAfter && { alertAfter }) },
      transfer: { path: '/transfers', subject: '/id' },
    },
    givesUpAfter: '3h',
    ...(validation && { answer: { validation: 'get' } }),
  }
  await createSite({ ...changes, institutions: [bank] }, site.folder)
  const gateway = await startTestGateway(site)
  const callAsBank = (path: string, request = requestOf) =>
    callByOpenssl(gateway.callbacks.port, ['-cert', client.certFile, '-key', client.keyFile], request(path))
  return { gateway, callAsBank, site }
}

const traitsOf = async ({ api }: TestGateway, query: string) =>
  (await allEvents(api, query)).map(({ kind, institution, environment }) => [institution, environment, kind])

it.skipIf(!hasOpenssl)(
  'two institutions below one issuer differ by their subjects, whose identifiers evidence and refusals show',
  async () => {
    const site = await createSite()
    const { issue } = createAuthority(join(site.folder, 'shared'))
    const issuing = issue({ name: 'issuing', ca: true, issuer: issue({ name: 'root', ca: true }) })
    const caller = (name: string, subject: string) => issue({ name, issuer: issuing, subject })
    const bankOf = (name: string, subject: object) => ({
      name,
      trust: [{ environment: 'production', chain: issuing.chainFile, allow: { subject } }],
      kinds: { payment: { path: '/callbacks/payment' } },
    })
    const institutions = [
      bankOf('bank-a', { organizationIdentifier: ['OFBBR-1'], serialNumber: ['00000000000272'] }),
      bankOf('bank-b', { serialNumber: ['00000000000191'], UID: ['b0c1'] }),
    ]
    await createSite({ institutions }, site.folder)
    const gateway = await startTestGateway(site)
    const callAs = ({ certFile, keyFile }: ReturnType<typeof issue>) =>
      callByOpenssl(gateway.callbacks.port, ['-cert', certFile, '-key', keyFile], requestOf('/callbacks/payment'))
    const ofA = caller('a', '/C=BR/O=Bank/serialNumber=00000000000272/organizationIdentifier=OFBBR-1/CN=calls')
    const ofB = caller('b', '/C=BR/O=Bank/serialNumber=00000000000191/UID=b0c1/CN=calls')
    const other = caller('other', '/C=BR/O=Bank/organizationIdentifier=OFBBR-2/CN=calls')
    expect([statusOf(await callAs(ofA)), statusOf(await callAs(ofB))]).toEqual([200, 200])
    const shown = await Promise.all(
      (await allEvents(gateway.api, '')).map(async ({ id }) => {
        const { evidence } = JSON.parse((await callApi(gateway.api, `/v1/events/${id}`)).body)
        return [evidence.institution, evidence.peer.identifiers]
      }),
    )
    expect(shown).toEqual([
      ['bank-a', { organizationIdentifier: ['OFBBR-1'], serialNumber: ['00000000000272'] }],
      ['bank-b', { serialNumber: ['00000000000191'], UID: ['b0c1'] }],
    ])
    await callAs(other)
    const { data } = await until(
      async () => JSON.parse((await callApi(gateway.api, '/v1/refusals')).body),
      ({ data }) => data.length > 0,
    )
    expect(data).toMatchObject([
      {
        code: 'caller_not_allowed',
        chain: expect.arrayContaining([
          expect.objectContaining({ identifiers: { organizationIdentifier: ['OFBBR-2'] } }),
        ]),
      },
    ])
  },
)

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

  it('that tests addresses with a GET gets 200 with answer.validation, and without it 405, whose refusal names this key', async () => {
    const { gateway, site, callAsBank } = await startWithBank({ validation: true })
    const { gateway: plain, callAsBank: callPlain } = await startWithBank()
    const get = (path: string) => requestOf(path).replace(/^POST/, 'GET')
    expect(statusOf(await callAsBank('/callbacks/payment', get))).toBe(200)
    expect(statusOf(await callAsBank('/elsewhere', get))).toBe(404)
    expect((await callBack({ ...gateway, site }, { method: 'GET', body: '' })).status).toBe(405)
    expect(await allEvents(gateway.api, '')).toEqual([])
    expect(gateway.lines.filter(({ event }) => event === 'callback.address_tested')).toMatchObject([
      { kind: 'payment', institution: 'bank-a', environment: 'production' },
    ])
    expect(statusOf(await callPlain('/callbacks/payment', get))).toBe(405)
    expect(plain.lines.find(({ code }) => code === 'no_callback')?.reason).toMatch(
      /^callbacks are sent by POST; if this institution .* write answer: \{ validation: get \} under it$/,
    )
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
    const { gateway, callAsBank } = await startWithBank({
      destinations: [
        {
          name: 'books',
          url: receiver.url,
          institutions: ['bank-a'],
          secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
        },
      ],
    })
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

  it('is listened to for silence by itself: sandbox counts where it has no chain of production', async () => {
    const kinds = { payment: { path: '/callbacks/payment', alertAfter: '1h' } }
    const callbacks = { ...BASE_CALLBACKS, kinds }
    const { gateway, callAsBank } = await startWithBank({ environment: 'sandbox', alertAfter: '1h', callbacks })
    expect(statusOf(await callAsBank('/callbacks/payment'))).toBe(200)
    const samples = await scrape(gateway)
    const name = 'portaria_kind_last_received_timestamp_seconds'
    expect(samples[`${name}{kind="payment"}`]).toBe(0)
    expect(samples[`${name}{institution="bank-a",kind="payment"}`]).toBeGreaterThan(0)
  })

  it('has its refused callbacks reported beside those of another one, each with its name and the time that is left', async () => {
    const { gateway, callAsBank, site } = await startWithBank()
    const before = Date.now()
    expect(statusOf(await callAsBank('/wrong'))).toBe(404)
    expect((await callBack({ ...gateway }, { path: '/wrong', body: BODY })).status).toBe(404)
    const alarms = await until(
      () => allEvents(gateway.api, '&kind=operator&subject=unknown_path'),
      (raised) => raised.length === 2,
    )
    expect(
      alarms.map(({ institution, data }) => [institution, (data as { institution?: string }).institution]),
    ).toEqual(
      expect.arrayContaining([
        ['bank-a', 'bank-a'],
        [null, undefined],
      ]),
    )
    const untils = Object.fromEntries(
      alarms.map(({ institution, data }) => [institution, (data as { repeatedUntil?: string }).repeatedUntil]),
    )
    const lost = Date.parse(untils['bank-a'] ?? '') - 3 * 3_600_000
    // To the minute.
    expect([untils.null, lost > before - 60_000, lost <= Date.now()]).toEqual([undefined, true, true])
    const lines = gateway.lines.filter(({ event }) => ['callback.refused', 'caller.refused'].includes(event))
    expect(lines.map(({ event, institution, environment }) => [event, institution, environment])).toEqual(
      expect.arrayContaining([
        ['caller.refused', 'bank-a', 'production'],
        ['callback.refused', 'bank-a', 'production'],
        ['callback.refused', undefined, 'production'],
      ]),
    )
    const reasons = async () => {
      const { reasons } = JSON.parse((await callApi(gateway.api, '/v1/overview')).body)
      return (reasons as { code: string; detail: string; until: string | null }[]).filter(
        ({ code }) => code === 'callbacks_refused',
      )
    }
    const found = await until(reasons, ({ length }) => length === 2)
    expect(found.map(({ detail, until }) => [detail, until]).sort()).toEqual([
      ['404, bank-a/production', untils['bank-a']],
      ['404, production', null],
    ])
    const findings = await findingsOf({ config: site.configFile, timeout: '10', integrityLimit: 60, offline: true })
    const refused = findings.filter(({ code }) => code === 'callbacks_refused')
    const said = Object.fromEntries(refused.map(({ what, found: text, nextStep }) => [what, `${text} ${nextStep}`]))
    expect(said['bank-a/production /wrong']).toMatch(
      `; the first is sent again until about ${untils['bank-a']}: count it as lost after that register a URL with the path of one of institutions.bank-a.kinds,`,
    )
    expect(said['production /wrong']).toMatch(
      /, the last at \S+Z register a URL with the path of one of callbacks\.kinds,/,
    )
  })
})
