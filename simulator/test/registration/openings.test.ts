import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import forge from 'node-forge'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/service/simulator.ts'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator, type Tls } from '../running.ts'
import { changed, openingRequest } from './opening-request.ts'

const NOON = '2026-03-10T15:00:00Z'
/** Of its CPF no account is there. */
const NEW_PERSON = changed({ clienteFinal: { cpf: '11144477735' } })

let running: RunningSimulator
let receiver: Receiver
beforeAll(async () => {
  running = await runSimulator({ servicePathSegment: 'gn' }, { receiverCaFile: receiverCaFile() })
  receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
})
afterAll(async () => {
  await receiver.stop()
  await running.stop()
})
beforeEach(async () => {
  await running.simulator.sites.sandbox.tasks.settled()
  running.simulator.sites.sandbox.records.clear('sandbox.')
  await running.control('PUT', '/clock', { now: NOON, frozen: true })
  await running.ask('registration', { method: 'POST', path: '/v1/webhook', body: { webhookUrl: receiver.urlOf('r') } })
})

async function request(body: object = openingRequest()): Promise<string> {
  const { status, text, json } = await running.ask('registration', {
    method: 'POST',
    path: '/v1/conta-simplificada',
    body,
  })
  if (status !== 200) throw new Error(text)
  return json.contaSimplificada.identificador
}
const answer = (id: string, verb: 'accept' | 'refuse', body?: object) =>
  running.control('POST', `/openings/${id}/${verb}`, body)
const advance = (by: string) => running.control('POST', '/clock/advance', { by })
const credentials = (id: string) => running.ask('registration', { path: `/v1/conta-simplificada/${id}/credenciais` })
const certificate = (id: string) =>
  running.ask('registration', { method: 'POST', path: `/v1/conta-simplificada/${id}/certificado`, body: '' })
const callbacks = async () => {
  await running.simulator.sites.sandbox.tasks.settled()
  return receiver.received.slice(seen).map(({ body }) => JSON.parse(body))
}
let seen = 0
beforeEach(() => {
  seen = receiver.received.length
})

async function opened(body: object = NEW_PERSON, choice: object = {}): Promise<string> {
  const id = await request(body)
  const { status, text } = await answer(id, 'accept', choice)
  if (status !== 200) throw new Error(text)
  await advance('60s')
  return id
}

/** The client certificate and key in a .p12 file with an empty password, read by node-forge. */
function tlsIn(p12: string): Tls {
  const { safeContents } = forge.pkcs12.pkcs12FromAsn1(forge.asn1.fromDer(forge.util.decode64(p12)), '')
  const bags = safeContents.flatMap(({ safeBags }) => safeBags)
  const certificateBag = bags.find(({ type }) => type === forge.pki.oids.certBag)
  const keyBag = bags.find(({ type }) => type === forge.pki.oids.pkcs8ShroudedKeyBag)
  const der = forge.asn1.toDer((certificateBag as { asn1: forge.asn1.Asn1 }).asn1).getBytes()
  return {
    cert: new X509Certificate(Buffer.from(der, 'latin1')).toString(),
    key: forge.pki.privateKeyToPem(keyBag?.key as forge.pki.PrivateKey),
  }
}

async function tokenFor(
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  tls: Tls,
  on = 'account',
  scope?: string,
) {
  const path = on === 'account' ? '/oauth/token' : '/v1/oauth/token'
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  const body = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }
  const asked = { method: 'POST', headers: { authorization }, body }
  return running.askRaw(`${running.baseOf(on as 'account')}${path}`, asked, tls)
}

describe('endpoints 14 and 15', () => {
  const both = async (id: string) =>
    (await Promise.all([credentials(id), certificate(id)])).map(({ status, json }) => `${status} ${json.nome}`)
  const twice = (text: string) => [text, text]

  it('are 412 conta_nao_aprovada_ou_recusada before the end client answers, and after a refusal', async () => {
    const id = await request()
    expect(await both(id)).toEqual(twice('412 conta_nao_aprovada_ou_recusada'))
    await answer(id, 'refuse')
    await advance('5m')
    expect(await both(id)).toEqual(twice('412 conta_nao_aprovada_ou_recusada'))
  })

  it('are 412 conta_em_processamento from the acceptance until the account is there', async () => {
    const id = await request(NEW_PERSON)
    await answer(id, 'accept', {})
    expect(await both(id)).toEqual(twice('412 conta_em_processamento'))
    await advance('59s')
    expect(await both(id)).toEqual(twice('412 conta_em_processamento'))
    await advance('1s')
    expect([(await credentials(id)).status, (await certificate(id)).status]).toEqual([200, 201])
  })

  it('are 404 for an unknown opening, and for one of another integrator', async () => {
    expect(await both('b3d1ba4e-4d3f-4f2a-8f0b-2d6f6a0a8c11')).toEqual(twice('404 conta_nao_encontrada'))
    const id = await opened()
    const authorization = `Bearer ${await running.tokenOf('registration', { account: 1 })}`
    const url = `${running.baseOf('registration')}/v1/conta-simplificada/${id}/credenciais`
    expect((await running.askRaw(url, { headers: { authorization } }, running.tlsOf('sandbox', 1))).status).toBe(404)
  })

  it('give credentials, which stay the same, and certificates, of which each works', async () => {
    const id = await opened()
    const first = await credentials(id)
    expect(first.json).toEqual({
      clientId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      clientSecret: expect.any(String),
      conta: {
        numero: expect.stringMatching(/^\d+$/),
        digito: expect.stringMatching(/^\d$/),
        payeeCode: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
      escopos: ['gn.balance.read', 'cob.read'],
      ativo: true,
    })
    expect((await credentials(id)).json).toEqual(first.json)
    const [one, two] = await Promise.all([certificate(id), certificate(id)])
    expect(one.text).toMatch(/^"[A-Za-z0-9+/]+=*"$/)
    expect(one.json).not.toBe(two.json)
    createSecureContext({ pfx: Buffer.from(one.json, 'base64'), passphrase: '' })
    for (const { json } of [one, two]) expect((await tokenFor(first.json, tlsIn(json))).status).toBe(200)
  })
})

describe('an opened account', () => {
  it('fetches a token of exactly its scopes over mutual TLS, and calls an endpoint with it', async () => {
    const id = await opened()
    const account = (await credentials(id)).json
    const tls = tlsIn((await certificate(id)).json)
    const { json } = await tokenFor(account, tls)
    expect(json.scope.split(' ')).toEqual(account.escopos)
    const headers = { authorization: `Bearer ${json.access_token}` }
    const balance = await running.askRaw(`${running.baseOf('account')}/v2/gn/saldo`, { headers }, tls)
    expect([balance.status, balance.json]).toEqual([200, { saldo: '0.00' }])
    expect(createPrivateKey(tls.key).asymmetricKeyType).toBe('rsa')
  })

  it('is 403 where its scopes do not reach, and gets no token for another scope', async () => {
    const id = await opened({ ...NEW_PERSON, escoposIntegrados: ['cob.read'] })
    const account = (await credentials(id)).json
    const tls = tlsIn((await certificate(id)).json)
    const headers = { authorization: `Bearer ${(await tokenFor(account, tls)).json.access_token}` }
    const refused = await running.askRaw(`${running.baseOf('account')}/v2/gn/saldo`, { headers }, tls)
    expect([refused.status, refused.json.error]).toEqual([403, 'insufficient_scope'])
    const bills = { authorization: `Bearer ${(await tokenFor(account, tls, 'registration')).json.access_token}` }
    const webhooks = `${running.baseOf('registration')}/v1/webhooks`
    expect((await running.askRaw(webhooks, { headers: bills }, tls)).status).toBe(403)
    const wider = await tokenFor(account, tls, 'account', 'cob.read gn.balance.read')
    expect([wider.status, wider.json.error]).toEqual([400, 'invalid_scope'])
  })

  it('has a certificate of its own: the integrator’s is 401 for it, and its own for the integrator', async () => {
    const id = await opened()
    const account = (await credentials(id)).json
    const tls = tlsIn((await certificate(id)).json)
    const [integrator] = running.simulator.sites.sandbox.applications.list()
    if (integrator === undefined) throw new Error('no application')
    expect((await tokenFor(account, running.tlsOf())).status).toBe(401)
    expect((await tokenFor(integrator, tls)).status).toBe(401)
    const url = `${running.baseOf('account', 'production')}/oauth/token`
    await expect(running.askRaw(url, { method: 'POST' }, tls)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
  })

  it('has the scopes that the control API sets', async () => {
    const id = await opened()
    const { clientId } = (await credentials(id)).json
    const set = await running.control('PUT', `/applications/${clientId}/scopes`, { scopes: ['cob.write'] })
    expect(set.json.scopes).toEqual(['cob.write'])
    expect((await credentials(id)).json.escopos).toEqual(['cob.write'])
    const wrong = await running.control('PUT', `/applications/${clientId}/scopes`, { scopes: ['cob'] })
    expect([wrong.status, wrong.json.error]).toEqual([400, '/scopes: no such scope: cob'])
    expect((await running.control('PUT', '/applications/none/scopes', { scopes: [] })).status).toBe(404)
  })
})

describe('callbacks', () => {
  it('conta_aberta arrives when the account is there, and not before', async () => {
    const id = await request(NEW_PERSON)
    await answer(id, 'accept', {})
    await advance('59s')
    expect(await callbacks()).toEqual([])
    await advance('1s')
    expect(await callbacks()).toEqual([{ contaSimplificada: { identificador: id }, evento: 'conta_aberta' }])
  })

  it('conta_recusada_pelo_cliente_final arrives at once, at every registered URL', async () => {
    const second = { webhookUrl: receiver.urlOf('second') }
    await running.ask('registration', { method: 'POST', path: '/v1/webhook', body: second })
    seen = receiver.received.length
    const id = await request()
    await answer(id, 'refuse')
    const body = { contaSimplificada: { identificador: id }, evento: 'conta_recusada_pelo_cliente_final' }
    expect(await callbacks()).toEqual([body, body])
    expect(receiver.received.slice(seen).map(({ path }) => path)).toEqual(expect.arrayContaining(['/r', '/second']))
  })
})

describe('the answer of an end client', () => {
  const openings = async () => (await running.control('GET', '/openings')).json.openings

  it('who has no account opens a new one, of the company where one is linked', async () => {
    const company = changed({ clienteFinal: { cnpj: '12ABC34501DE35', razaoSocial: 'Padaria Central Ltda' } })
    await opened(company)
    const [{ account, as, tier, state }] = await openings()
    expect([as, tier, state]).toEqual(['new_account', 'business', 'open'])
    expect(
      running.simulator.sites.sandbox.applications.accounts().find(({ number }) => number === account),
    ).toMatchObject({ document: '12ABC34501DE35', name: 'Padaria Central Ltda' })
  })

  it('who has an account gets a secondary one with the settings of the request', async () => {
    const id = await opened(openingRequest(), { as: 'secondary_account' })
    const { conta, escopos } = (await credentials(id)).json
    const accounts = running.simulator.sites.sandbox.applications.accounts()
    const own = accounts.filter(({ document }) => document === '52998224725').map(({ number }) => number)
    expect(own).toEqual(['200002', conta.numero])
    expect(escopos).toEqual(openingRequest().escoposIntegrados)
  })

  it('who has an account gets an application in it, with the scopes of the request', async () => {
    const id = await opened(openingRequest(), { as: 'application' })
    const account = (await credentials(id)).json
    const { escoposIntegrados } = openingRequest()
    expect([account.conta.numero, account.escopos]).toEqual(['200002', escoposIntegrados])
    // The account keeps the certificates that it had.
    for (const tls of [tlsIn((await certificate(id)).json), running.tlsOf('sandbox', 1)])
      expect((await tokenFor(account, tls)).json.scope).toBe(escoposIntegrados.join(' '))
  })

  it.each([
    ['a new account beside an old one', openingRequest(), { as: 'new_account' }],
    ['an account of a secondary account', openingRequest(), { account: '200002' }],
    ['scopes of the end client’s choice', openingRequest(), { as: 'application', scopes: ['cob.read'] }],
    ['an application in another person’s account', openingRequest(), { as: 'application', account: '200001' }],
    ['a secondary account without a first one', NEW_PERSON, { as: 'secondary_account' }],
    ['an application without an account', NEW_PERSON, { as: 'application' }],
    ['an unknown choice', NEW_PERSON, { as: 'other' }],
  ])('cannot be %s', async (_what, body, choice) => {
    const id = await request(body)
    expect((await answer(id, 'accept', choice)).status).toBe(400)
    expect((await openings())[0].state).toBe('requested')
  })

  it('is the only one: others are 409', async () => {
    const id = await request()
    await answer(id, 'refuse')
    expect([(await answer(id, 'accept', {})).status, (await answer(id, 'refuse')).status]).toEqual([409, 409])
    expect((await answer('none', 'refuse')).status).toBe(404)
  })
})

it('no GET changes a record', async () => {
  const id = await opened()
  const before = running.simulator.sites.sandbox.records.dump()
  await credentials(id)
  for (const path of ['/openings', '/outbox', '/applications', '/registry']) await running.control('GET', path)
  await running.askRaw((await running.control('GET', '/openings')).json.openings[0].link, {})
  expect(running.simulator.sites.sandbox.records.dump()).toEqual(before)
})

it('an opening survives a restart: its account is there when it is due', async () => {
  const kept = await runSimulator({ servicePathSegment: 'gn' }, { isKept: true })
  onTestFinished(() => kept.stop())
  const { sandbox } = kept.simulator.sites
  const account = sandbox.applications.list()[0]?.account ?? ''
  sandbox.webhooks.register({ interface: 'registration', account, url: 'https://localhost:1/' })
  await kept.ask('registration', { method: 'POST', path: '/v1/conta-simplificada', body: NEW_PERSON })
  const [opening] = (await kept.control('GET', '/openings')).json.openings
  await kept.control('POST', `/openings/${opening.identificador}/accept`, {})
  await kept.simulator.stop()
  const again = await startSimulator({
    port: 0,
    controlPort: 0,
    host: null,
    settingsFile: null,
    receiverCaFile: null,
    isKept: true,
    folder: kept.simulator.folder.path,
    report: () => undefined,
  })
  onTestFinished(() => again.stop())
  const { tasks, clock, applications } = again.sites.sandbox
  await tasks.moveTo(clock.now() + 60_000, true)
  expect(applications.accounts().at(-1)?.document).toBe('11144477735')
})
