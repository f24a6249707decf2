import type { Answer } from '../running.ts'
import { NOON, scoped, type World } from './world.ts'

/** By `endpoint status code`: requests that get this answer where the setting `errors` is `field`. */
export type Provocations = Readonly<Record<string, readonly ((world: World) => Promise<Answer>)[]>>

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const STATEMENT = '/v2/svc/relatorios/extrato-conciliacao'
const today = { dataPagamento: '2026-03-02' }

async function failing({ running, account }: World, method: string, path: string, body?: unknown) {
  await running.control('POST', '/faults', { on: 'api', fault: 'server_error' })
  return account(method, path, body)
}

const detail = (code: string) => (world: World) => world.payment('GET', `/v1/codBarras/${code}`)

/** Pays a bill after its detail. */
function paying(body: object, terms: object = {}, now = NOON) {
  return async (world: World) => {
    const code = await world.billet(terms)
    await world.running.control('PUT', '/clock', { now, frozen: true })
    await world.payment('GET', `/v1/codBarras/${code}`)
    return world.payment('POST', `/v1/codBarras/${code}`, body)
  }
}

const summary = (query: string) => (world: World) => world.payment('GET', `/v1/resumo${query}`)

export const ACCOUNT_ERRORS: Provocations = {
  '1:1 400 limite_criacao_chave_atingido': [
    async ({ account }) => {
      for (let count = 0; count < 20; count++) await account('POST', '/v2/svc/evp')
      return account('POST', '/v2/svc/evp')
    },
  ],
  '1:3 400 chave_nao_encontrada': [({ account }) => account('DELETE', `/v2/svc/evp/${UNKNOWN}`)],
  '1:4 400 erro_de_validacao': [({ account }) => account('GET', '/v2/svc/saldo?bloqueios=perhaps')],
  '1:5 400 erro_de_validacao': [
    ({ account }) => account('PUT', '/v2/svc/config', {}),
    ({ account }) => account('PUT', '/v2/svc/config', { pix: { receberSemChave: 'yes' } }),
    ({ account }) => account('PUT', '/v2/svc/config', { pix: { unknown: true } }),
  ],
  '1:7 400 ExtratoConciliacaoConsultaInvalida': [
    ({ account }) => account('POST', STATEMENT, { dataMovimento: '2026-03-02', tipoRegistros: { saldoDia: true } }),
    ({ account }) => account('POST', STATEMENT, { dataMovimento: '2026-02-30', tipoRegistros: { saldoDia: true } }),
    ({ account }) => account('POST', STATEMENT, { dataMovimento: '2026-03-01', tipoRegistros: { saldoDia: false } }),
  ],
  '1:7 500 ErroInterno': [(world) => failing(world, 'POST', STATEMENT, {})],
  '1:8 404 NaoEncontrado': [({ account }) => account('GET', `/v2/svc/relatorios/${UNKNOWN}`)],
  '1:8 500 ErroInterno': [(world) => failing(world, 'GET', `/v2/svc/relatorios/${UNKNOWN}`)],

  '1:9 400 erro_de_validacao': [
    detail('00190500954014481606906809350314337370000000101'),
    async (world) => detail(await world.billet({ unknown: true }))(world),
  ],
  '1:9 400 Error': [detail(`${'1'.repeat(43)}x`)],
  '1:9 400 mensagem': [detail('123'), detail('1'.repeat(49))],
  '1:10 400 erro': [
    ({ payment }) => payment('POST', '/v1/codBarras/123', { valor: 1, ...today }),
    async ({ payment, billet }) => payment('POST', `/v1/codBarras/${await billet()}`, { valor: 10_000, ...today }),
    paying({ valor: '100.00', ...today }),
    paying({ valor: 10_000, dataPagamento: '2026-03-01' }),
    paying({ valor: 9_999, ...today }),
    paying({ valor: 10_000, ...today }, {}, '2026-03-03T01:00:01Z'),
  ],
  '1:11 400 erro': [({ payment }) => payment('GET', '/v1/9999999')],
  '1:12 400 erro_de_validacao': [
    summary(''),
    summary('?dataInicio=2026-03-01'),
    summary('?dataInicio=2026-03-02&dataFim=2026-03-01'),
    summary('?dataInicio=2025-01-01&dataFim=2026-01-02'),
  ],
}

const putSettings = (body: object) => (world: World) => world.openBanking('PUT', '/v1/config', body)
const ADDRESSES = { redirectURL: 'https://shop.example/back', webhookURL: 'https://localhost:1/' }
const withSecurity = (webhookSecurity: object) => putSettings({ ...ADDRESSES, webhookSecurity })

export const OPEN_BANKING_ERRORS: Provocations = {
  '1:16 400 redirect_url_obrigatorio': [putSettings({ webhookURL: ADDRESSES.webhookURL })],
  '1:16 400 webhook_url_obrigatorio': [putSettings({ redirectURL: ADDRESSES.redirectURL })],
  '1:16 400 webhook_url_mtls_obrigatorio': [
    async (world) => putSettings({ ...ADDRESSES, webhookURL: await world.receiver({ chain: null }) })(world),
  ],
  '1:16 400 erro_de_validacao': [putSettings({ ...ADDRESSES, processPayment: 'later' })],
  '1:16 422 redirect_url_invalido': [putSettings({ ...ADDRESSES, redirectURL: 'back' })],
  '1:16 422 webhook_url_invalido': [
    putSettings(ADDRESSES),
    putSettings({ ...ADDRESSES, webhookURL: 'http://localhost:1/' }),
  ],
  '1:16 422 webhook_seguranca_invalido': [withSecurity({ type: 'basic' })],
  '1:16 422 webhook_seguranca_hash_invalido': [withSecurity({ type: 'hmac' })],
  '1:17 404 configuracao_nao_encontrada': [({ openBanking }) => openBanking('GET', '/v1/config')],
}

const opening = (world: World, members: object = {}) =>
  world.registration('POST', '/v1/conta-simplificada', scoped(members))

/** The request with other members of the end client, where a webhook is registered. */
function withClient(members: object, address: object = {}) {
  return async (world: World) => {
    world.register()
    const { clienteFinal } = scoped()
    const endereco = { ...clienteFinal.endereco, ...address }
    return opening(world, { clienteFinal: { ...clienteFinal, endereco, ...members } })
  }
}
const invalid = (member: string, value?: unknown) => withClient({ [member]: value })

function inactive(document: string, members: object = {}) {
  return async (world: World) => {
    await world.running.control('PUT', `/registry/${document}`, { active: false })
    return withClient(members)(world)
  }
}

/** Another person, after the account of the first one was opened. */
function other(members: object) {
  return async (world: World) => {
    const id = await world.open()
    await world.running.control('POST', `/openings/${id}/accept`, {})
    const person = { cpf: '11144477735', nomeCompleto: 'Rita Souza', celular: '11912345678', email: 'rita@example.com' }
    return opening(world, { clienteFinal: { ...scoped().clienteFinal, ...person, ...members } })
  }
}

/** Credentials or certificate of an opening after what its end client did. */
function ofOpening(method: string, part: string, answer: 'accept' | 'refuse' | null) {
  return async (world: World) => {
    const id = await world.open()
    if (answer !== null) await world.running.control('POST', `/openings/${id}/${answer}`, {})
    return world.registration(method, `/v1/conta-simplificada/${id}/${part}`)
  }
}

const unopened = (method: string, part: string) => (world: World) =>
  world.registration(method, `/v1/conta-simplificada/${UNKNOWN}/${part}`)

/** A scope is taken from the application while it asks. */
async function withoutScope(world: World): Promise<Answer> {
  const { applications } = (await world.running.control('GET', '/applications')).json
  const [{ clientId, scopes }] = applications
  const set = (some: string[]) => world.running.control('PUT', `/applications/${clientId}/scopes`, { scopes: some })
  await set(scopes.filter((scope: string) => scope !== 'svc.balance.read'))
  const answer = await withClient({})(world)
  await set(scopes)
  return answer
}

async function afterRefusal(world: World): Promise<Answer> {
  const id = await world.open()
  await world.running.control('POST', `/openings/${id}/refuse`)
  return opening(world)
}

export const OPENING_ERRORS: Provocations = {
  '1:13 400 cpf_invalido': [invalid('cpf', '52998224726')],
  '1:13 400 nome_completo_invalido': [invalid('nomeCompleto', 'Maria')],
  '1:13 400 menoridade': [invalid('dataNascimento', '03/03/2008')],
  '1:13 400 data_nascimento_invalida': [invalid('dataNascimento', '31/02/1990')],
  '1:13 400 nome_mae_invalido': [invalid('nomeMae', 'Ana')],
  '1:13 400 celular_invalido': [invalid('celular', '3187654321')],
  '1:13 400 email_invalido': [invalid('email', 'maria')],
  '1:13 400 cep_invalido': [withClient({}, { cep: '35400-000' })],
  '1:13 400 cnpj_invalido': [invalid('cnpj', '11222333000182')],
  '1:13 400 razao_social_invalida': [withClient({ cnpj: '11222333000181', razaoSocial: '' })],
  '1:13 400 cpf_inativo': [inactive('52998224725')],
  '1:13 400 cnpj_inativo': [inactive('11222333000181', { cnpj: '11222333000181' })],
  '1:13 400 nomeCompleto_invalido': [invalid('nomeCompleto')],
  '1:13 400 estado_invalido': [withClient({}, { estado: 'XX' })],
  '1:13 400 erro_de_validacao': [invalid('idade', 30)],
  '1:13 403 escopo_nao_permitido': [withoutScope],
  '1:13 409 solicitacao_duplicada': [
    async (world) => {
      await world.open()
      return opening(world)
    },
  ],
  '1:13 409 recusa_recente': [afterRefusal],
  '1:13 409 celular_cadastrado': [other({ celular: scoped().clienteFinal.celular })],
  '1:13 409 email_cadastrado': [other({ email: scoped().clienteFinal.email })],
  '1:13 412 webhook_nao_cadastrado': [opening],
  '1:14 404 conta_nao_encontrada': [unopened('GET', 'credenciais')],
  '1:14 412 conta_nao_aprovada_ou_recusada': [
    ofOpening('GET', 'credenciais', null),
    ofOpening('GET', 'credenciais', 'refuse'),
  ],
  '1:14 412 conta_em_processamento': [ofOpening('GET', 'credenciais', 'accept')],
  '1:15 404 conta_nao_encontrada': [unopened('POST', 'certificado')],
  '1:15 412 conta_nao_aprovada_ou_recusada': [
    ofOpening('POST', 'certificado', null),
    ofOpening('POST', 'certificado', 'refuse'),
  ],
  '1:15 412 conta_em_processamento': [ofOpening('POST', 'certificado', 'accept')],
}
