import type { ReceiverOptions } from '../receiver.ts'
import type { Answer } from '../running.ts'
import type { Provocations } from './account-errors.ts'
import type { World } from './world.ts'

type Register = (world: World, url: string) => Promise<Answer>

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** A receiver that behaves like this. */
const at = (register: Register, options: Partial<ReceiverOptions>) => async (world: World) =>
  register(world, await world.receiver(options))
const nowhere = (register: Register, url: string) => (world: World) => register(world, url)

/** What the two requests to an address find out, at one endpoint. */
function addressErrors(endpoint: string, register: Register): Provocations {
  return {
    [`${endpoint} 400 protocolo_da_url`]: [nowhere(register, 'http://localhost:1/')],
    [`${endpoint} 400 mtls_nao_configurado`]: [at(register, { chain: null })],
    [`${endpoint} 400 url_inacessivel`]: [nowhere(register, 'https://93.184.215.14/')],
    [`${endpoint} 400 url_informada_nao_existe`]: [nowhere(register, 'https://no-such-name.invalid/')],
    [`${endpoint} 400 limite_de_tempo_atingido_para_url`]: [at(register, { answer: () => 'silence' })],
    [`${endpoint} 400 url_falhou_com_erro`]: [at(register, { answer: () => 'cut' })],
    [`${endpoint} 400 erro_de_codigo`]: [at(register, { answer: () => 500 })],
  }
}

const openings: Register = ({ registration }, webhookUrl) => registration('POST', '/v1/webhook', { webhookUrl })
const payments: Register = ({ payment }, url) => payment('PUT', '/v1/webhook', { url })

async function twice(world: World): Promise<Answer> {
  const url = await world.receiver()
  await openings(world, url)
  return openings(world, url)
}

const list = (query: string) => (world: World) => world.registration('GET', `/v1/webhooks?${query}`)
const listed = (query: string) => (world: World) => world.payment('GET', `/v1/webhook?${query}`)
const unknown = (method: string) => (world: World) => world.registration(method, `/v1/webhook/${UNKNOWN}`)

export const WEBHOOK_ERRORS: Provocations = {
  '1:18 400 url_webhook': [nowhere(openings, 'no address')],
  ...addressErrors('1:18', openings),
  '1:18 400 chave_invalida': [
    ({ registration }) => registration('POST', '/v1/webhook', { url: 'https://localhost:1/', chave: UNKNOWN }),
  ],
  '1:18 400 erro_de_validacao': [
    ({ registration }) => registration('POST', '/v1/webhook', { webhookUrl: 'https://localhost:1/', more: 1 }),
  ],
  '1:18 409 url_cadastrada': [twice],
  '1:19 400 identificador_webhook': [unknown('GET')],
  '1:20 400 data_invalida': [list('inicio=2026-03-02T00:00:00Z&fim=2026-03-01T00:00:00Z')],
  '1:20 400 erro_de_validacao': [list('inicio=yesterday'), list('paginacao.itensPorPagina=1001')],
  '1:21 400 identificador_webhook': [unknown('DELETE')],
  '1:22 400 erro_de_validacao': [nowhere(payments, 'no address')],
  ...addressErrors('1:22', payments),
  '1:23 400 data_invalida': [listed('dataInicio=2026-03-02T00:00:00Z&dataFim=2026-03-01T00:00:00Z')],
  '1:23 400 erro_de_validacao': [listed('dataInicio=2026-03-02T00:00:00Z'), listed('dataInicio=2026-03-02')],
  '1:24 400 erro_de_validacao': [({ payment }) => payment('DELETE', '/v1/webhook', {})],
  '1:24 404 webhook_nao_encontrado': [
    ({ payment }) => payment('DELETE', '/v1/webhook', { url: 'https://nowhere.example/' }),
  ],
}
