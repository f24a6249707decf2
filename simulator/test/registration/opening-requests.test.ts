import { beforeEach, describe, expect, it } from 'vitest'
import { withCnpjDigits, withCpfDigits } from '../../src/rules/tax-ids.ts'
import { simulatorForFile } from '../running.ts'
import { changed, openingRequest } from './opening-request.ts'

const NOON = '2026-03-10T15:00:00Z'

const running = simulatorForFile({ servicePathSegment: 'gn' })
beforeEach(async () => {
  running().simulator.sites.sandbox.records.clear('sandbox.')
  await running().control('PUT', '/clock', { now: NOON, frozen: true })
  registerWebhook()
})

function registerWebhook(account = running().simulator.sites.sandbox.applications.list()[0]?.account ?? '') {
  running().simulator.sites.sandbox.webhooks.register({
    interface: 'registration',
    account,
    url: 'https://localhost:1/',
  })
}
const request = (body: unknown) =>
  running().ask('registration', { method: 'POST', path: '/v1/conta-simplificada', body })
const outbox = async () => (await running().control('GET', '/outbox')).json.messages
const openings = async () => (await running().control('GET', '/openings')).json.openings
async function answer(verb: 'accept' | 'refuse', body = {}) {
  const identificador = (await openings()).at(-1)?.identificador
  return running().control('POST', `/openings/${identificador}/${verb}`, body)
}

describe('a request to open an account', () => {
  it('sends the link once through each channel', async () => {
    const { status, json } = await request(openingRequest({ meioDeNotificacao: ['sms', 'whatsapp', 'sms'] }))
    expect([status, json]).toEqual([200, { contaSimplificada: { identificador: expect.any(String) } }])
    const [{ link, identificador }] = await openings()
    expect(identificador).toBe(json.contaSimplificada.identificador)
    expect(link).toMatch(new RegExp(`^${new URL(running().baseOf('registration')).origin}/openings/[\\w-]{32}$`))
    expect(await outbox()).toMatchObject([
      { channel: 'sms', to: '31987654321', subject: 'account_opening', link, at: '2026-03-10T15:00:00.000Z' },
      { channel: 'whatsapp', to: '31987654321', subject: 'account_opening', link },
    ])
  })

  it.each([
    ['a person', {}, 'individual'],
    ['a company', { cnpj: '11222333000181', razaoSocial: 'Padaria Central Ltda' }, 'business'],
    ['a company with letters in its CNPJ', { cnpj: '12ABC34501DE35' }, 'business'],
  ])('of %s has its tier', async (_who, members, tier) => {
    await request(changed({ clienteFinal: members }))
    expect((await openings()).map((opening: { tier: string }) => opening.tier)).toEqual([tier])
  })

  it('takes the longest values, and what is optional may be missing', async () => {
    const cpf = withCpfDigits('987654321')
    const email = `${'m'.repeat(245)}@mail.com`
    const all = changed({ clienteFinal: { cpf, celular: '11912345678', email, nomeMae: undefined } })
    expect((await request({ ...all, cupom: 'C'.repeat(20) })).status).toBe(200)
    const long = 'x'.repeat(120)
    const endereco = { numero: 'S/N', complemento: undefined, cidade: long, bairro: long, logradouro: long }
    expect((await request(changed({ endereco }))).status).toBe(200)
  })
})

/** Member, wrong value, name of the error. */
const WRONG: readonly (readonly [string, unknown, string])[] = [
  ['cpf', '52998224726', 'cpf_invalido'],
  ['cpf', '529.982.247-25', 'cpf_invalido'],
  ['cpf', 52998224725, 'cpf_invalido'],
  ['cpf', undefined, 'cpf_invalido'],
  ['nomeCompleto', 'Maria', 'nome_completo_invalido'],
  ['nomeCompleto', 'Maria 2', 'nome_completo_invalido'],
  ['nomeCompleto', `Maria ${'a'.repeat(120)}`, 'nome_completo_invalido'],
  ['nomeCompleto', undefined, 'nomeCompleto_invalido'],
  ['dataNascimento', '31/02/1990', 'data_nascimento_invalida'],
  ['dataNascimento', '29/02/2001', 'data_nascimento_invalida'],
  ['dataNascimento', '1990-01-31', 'data_nascimento_invalida'],
  ['dataNascimento', '1/1/1990', 'data_nascimento_invalida'],
  ['dataNascimento', '11/03/2026', 'data_nascimento_invalida'],
  ['dataNascimento', '09/03/1896', 'data_nascimento_invalida'],
  ['dataNascimento', undefined, 'dataNascimento_invalido'],
  ['dataNascimento', '11/03/2008', 'menoridade'],
  ['nomeMae', 'Ana', 'nome_mae_invalido'],
  ['celular', '3187654321', 'celular_invalido'],
  ['celular', '31887654321', 'celular_invalido'],
  ['celular', '01987654321', 'celular_invalido'],
  ['celular', '319876543210', 'celular_invalido'],
  ['celular', '+5531987654321', 'celular_invalido'],
  ['celular', undefined, 'celular_invalido'],
  ['email', 'maria', 'email_invalido'],
  ['email', 'maria@', 'email_invalido'],
  ['email', `${'m'.repeat(246)}@mail.com`, 'email_invalido'],
  ['email', undefined, 'email_invalido'],
  ['cnpj', '11222333000182', 'cnpj_invalido'],
  ['razaoSocial', 'x'.repeat(121), 'razao_social_invalida'],
  ['razaoSocial', '', 'razao_social_invalida'],
  ['endereco', undefined, 'endereco_invalido'],
  ['endereco/cep', '35400-000', 'cep_invalido'],
  ['endereco/cep', '3540000', 'cep_invalido'],
  ['endereco/cep', '354000000', 'cep_invalido'],
  ['endereco/cep', undefined, 'cep_invalido'],
  ['endereco/estado', 'XX', 'estado_invalido'],
  ['endereco/estado', 'mg', 'estado_invalido'],
  ['endereco/cidade', ' ', 'cidade_invalido'],
  ['endereco/numero', 12, 'numero_invalido'],
  ...['cidade', 'bairro', 'logradouro', 'numero'].flatMap((member) =>
    [undefined, '', 'x'.repeat(121)].map((value) => [`endereco/${member}`, value, `${member}_invalido`] as const),
  ),
  ['endereco/complemento', 'x'.repeat(121), 'complemento_invalido'],
  ['endereco/pais', 'BR', 'erro_de_validacao'],
  ['idade', 30, 'erro_de_validacao'],
  ['/meioDeNotificacao', ['sms', 'email'], 'meioDeNotificacao_invalido'],
  ['/meioDeNotificacao', [], 'meioDeNotificacao_invalido'],
  ['/meioDeNotificacao', undefined, 'meioDeNotificacao_invalido'],
  ['/escoposIntegrados', [], 'escoposIntegrados_invalido'],
  ['/escoposIntegrados', ['gn.barcode.read'], 'escoposIntegrados_invalido'],
  ['/escoposIntegrados', ['svc.balance.read'], 'escoposIntegrados_invalido'],
  ['/escoposIntegrados', undefined, 'escoposIntegrados_invalido'],
  ['/cupom', '', 'cupom_invalido'],
  ['/cupom', 'C'.repeat(21), 'cupom_invalido'],
  ['/clienteFinal', undefined, 'clienteFinal_invalido'],
  ['/other', 1, 'erro_de_validacao'],
]

it.each(WRONG)('%s %j is 400 %s', async (member, value, nome) => {
  const path = member.startsWith('/') ? member : `/clienteFinal/${member}`
  const { status, json } = await request(withValue(openingRequest(), path.slice(1).split('/'), value))
  expect([status, json.nome]).toEqual([400, nome])
  expect(json.erros[0].caminho).toMatch(new RegExp(`^${path}`))
})

function withValue(target: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  const inner = target as Record<string, unknown>
  return { ...inner, [key]: rest.length === 0 ? value : withValue(inner[key], rest, value) }
}

it('a razaoSocial needs a cnpj', async () => {
  const { status, json } = await request(changed({ clienteFinal: { razaoSocial: 'Padaria Central Ltda' } }))
  expect([status, json.nome, json.erros[0].caminho]).toEqual([400, 'cnpj_invalido', '/clienteFinal/cnpj'])
})

it('every violation is named, and the first gives the error its name', async () => {
  const { json } = await request(changed({ clienteFinal: { cpf: '1', email: 'x' }, endereco: { cep: '1' } }))
  expect([json.nome, json.erros.map(({ caminho }: { caminho: string }) => caminho)]).toEqual([
    'cpf_invalido',
    ['/clienteFinal/cpf', '/clienteFinal/email', '/clienteFinal/endereco/cep'],
  ])
})

it.each([[[]], ['text'], [7]])('a body that is %j is 400', async (body) => {
  expect((await request(JSON.stringify(body))).json.nome).toBe('erro_de_validacao')
})

it('the birthday that makes somebody of age is that of the local day', async () => {
  // 00:30 of 11 March in UTC, 21:30 of 10 March in São Paulo.
  await running().control('PUT', '/clock', { now: '2026-03-11T00:30:00Z', frozen: true })
  const bornOn = (dataNascimento: string) => request(changed({ clienteFinal: { dataNascimento } }))
  expect((await bornOn('11/03/2008')).json.nome).toBe('menoridade')
  expect((await bornOn('10/03/2008')).status).toBe(200)
})

describe('the registry', () => {
  const set = (document: string, entry: object) => running().control('PUT', `/registry/${document}`, entry)
  const company = changed({ clienteFinal: { cnpj: '11222333000181', razaoSocial: 'Padaria Central' } })

  it.each([
    ['52998224725', { active: false }, 'cpf_inativo'],
    ['52998224725', { name: 'Maria Souza' }, 'nome_completo_invalido'],
    ['52998224725', { birthDate: '1990-02-01' }, 'data_nascimento_invalida'],
    ['52998224725', { motherName: 'Rita Silva' }, 'nome_mae_invalido'],
    ['11222333000181', { active: false }, 'cnpj_inativo'],
    ['11222333000181', { name: 'Padaria do Norte' }, 'razao_social_invalida'],
  ])('of %s with %j makes the request 400 %s', async (document, entry, nome) => {
    await set(document, entry)
    const { status, json } = await request(company)
    expect([status, json.nome]).toEqual([400, nome])
    expect((await running().control('DELETE', `/registry/${document}`)).status).toBe(204)
    expect((await request(company)).status).toBe(200)
  })

  it('compares names without case, accents and spaces', async () => {
    await set('52998224725', { name: 'MARIA  DA CONCEICAO', birthDate: '1990-01-31', motherName: 'ana da silva' })
    expect((await request(openingRequest())).status).toBe(200)
    expect((await running().control('GET', '/registry')).json.entries).toHaveLength(1)
  })

  it('takes real documents only', async () => {
    expect((await set('52998224726', {})).status).toBe(400)
    expect((await running().control('DELETE', '/registry/52998224725')).status).toBe(404)
  })
})

it('without a registered webhook of the same account a request is 412 webhook_nao_cadastrado', async () => {
  const { webhooks, applications } = running().simulator.sites.sandbox
  for (const { id } of webhooks.registered.list()) webhooks.registered.delete(id)
  registerWebhook(applications.list()[1]?.account)
  webhooks.register({
    interface: 'payment',
    account: applications.list()[0]?.account ?? '',
    url: 'https://localhost:1/',
  })
  const { status, json } = await request(openingRequest())
  expect([status, json.nome]).toEqual([412, 'webhook_nao_cadastrado'])
})

it('a scope that the integrator does not have is 403', async () => {
  const [{ clientId, scopes }] = (await running().control('GET', '/applications')).json.applications
  const set = (some: string[]) => running().control('PUT', `/applications/${clientId}/scopes`, { scopes: some })
  await set(scopes.filter((scope: string) => scope !== 'gn.balance.read'))
  const { status, json } = await request(openingRequest())
  expect([status, json.nome]).toEqual([403, 'escopo_nao_permitido'])
  await set(scopes)
  expect((await request(openingRequest())).status).toBe(200)
})

it('each of the 15 scopes can be granted', async () => {
  const escoposIntegrados = [
    ...['cob.write', 'cob.read', 'pix.write', 'pix.read', 'pix.send', 'webhook.write', 'webhook.read'],
    ...['payloadlocation.write', 'payloadlocation.read', 'gn.pix.send.read', 'gn.pix.evp.write', 'gn.pix.evp.read'],
    ...['gn.balance.read', 'gn.settings.write', 'gn.settings.read'],
  ]
  expect((await request(openingRequest({ escoposIntegrados }))).status).toBe(200)
  expect((await openings())[0].scopes).toEqual(escoposIntegrados)
})

describe('a second request', () => {
  const other = (members = {}) =>
    changed({
      clienteFinal: { cpf: withCpfDigits('123123123'), celular: '11900000000', email: 'other@example.com', ...members },
    })
  const nomeOf = async (body: unknown) => {
    const { status, json } = await request(body)
    return status === 200 ? 200 : `${status} ${json.nome}`
  }

  it('for the same person is 409 solicitacao_duplicada until the account is there', async () => {
    await request(openingRequest())
    expect(await nomeOf(openingRequest())).toBe('409 solicitacao_duplicada')
    await answer('accept')
    expect(await nomeOf(openingRequest())).toBe('409 solicitacao_duplicada')
    await running().control('POST', '/clock/advance', { by: '1m' })
    expect(await nomeOf(openingRequest())).toBe(200)
  })

  it('with the phone or mail of somebody whose account is there is 409', async () => {
    await request(openingRequest())
    expect(await nomeOf(other({ celular: '31987654321' }))).toBe(200)
    await running().control('POST', `/openings/${(await openings())[1].identificador}/refuse`)
    await running().control('POST', `/openings/${(await openings())[0].identificador}/accept`, {})
    await running().control('POST', '/clock/advance', { by: '3d' })
    expect(await nomeOf(other({ celular: '31987654321' }))).toBe('409 celular_cadastrado')
    expect(await nomeOf(other({ email: 'MARIA@example.com' }))).toBe('409 email_cadastrado')
    expect(await nomeOf(other())).toBe(200)
  })

  it('after a refusal is possible from the beginning of the second day, local time', async () => {
    await request(openingRequest())
    // 23:59:59 of 10 March in São Paulo.
    await running().control('PUT', '/clock', { now: '2026-03-11T02:59:59Z', frozen: true })
    await answer('refuse')
    expect(await nomeOf(openingRequest())).toBe('409 recusa_recente')
    await running().control('PUT', '/clock', { now: '2026-03-12T02:59:59Z', frozen: true })
    expect(await nomeOf(openingRequest())).toBe('409 recusa_recente')
    await running().control('PUT', '/clock', { now: '2026-03-12T03:00:00Z', frozen: true })
    expect(await nomeOf(openingRequest())).toBe(200)
  })
})

it('a company of a person whose own account is there gets an account of its own', async () => {
  const cnpj = withCnpjDigits('123456780001')
  await request(changed({ clienteFinal: { cnpj } }))
  expect((await answer('accept', { as: 'secondary_account' })).status).toBe(400)
  expect((await answer('accept')).json.as).toBe('new_account')
})
