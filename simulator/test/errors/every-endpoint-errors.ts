import type { Answer, Asked } from '../running.ts'
import type { Provocations } from './account-errors.ts'
import type { World } from './world.ts'

type Ask = (world: World, asked: Partial<Asked>) => Promise<Answer>

/** Endpoints 1:5 and 2:5 for all of their interfaces. */
const account: Ask = ({ running }, asked) => running.ask('account', { method: 'PUT', path: '/v2/svc/config', ...asked })
const charges: Ask = ({ running }, asked) => running.ask('charges', { method: 'POST', path: '/v1/plan', ...asked })
const LONG = JSON.stringify({ long: 'x'.repeat(300_000) })

/** What each endpoint answers before it reads the request's values; `codeFor` is its code on one interface. */
function before(who: string, ask: Ask, codeFor: (nome: string) => string): Provocations {
  const key = (status: number, nome: string) => `${who} ${status} ${codeFor(nome)}`
  const together: Record<string, ((world: World) => Promise<Answer>)[]> = {}
  const add = (status: number, nome: string, provoke: (world: World) => Promise<Answer>) => {
    together[key(status, nome)] = [...(together[key(status, nome)] ?? []), provoke]
  }
  add(400, 'json_invalido', (world) => ask(world, { body: '{' }))
  add(400, 'requisicao_invalida', (world) =>
    ask(world, { method: 'DELETE', path: who === 'charges' ? '/v1/plan/%' : '/v2/svc/evp/%' }),
  )
  add(401, 'nao_autorizado', (world) => ask(world, { token: 'unknown' }))
  add(404, 'nao_encontrado', (world) => ask(world, { path: '/nowhere' }))
  add(405, 'metodo_nao_permitido', (world) => ask(world, { method: 'PATCH' }))
  add(413, 'corpo_grande_demais', (world) => ask(world, { body: LONG }))
  add(415, 'tipo_de_conteudo_invalido', (world) =>
    ask(world, { body: 'a=1', headers: { 'content-type': 'text/plain' } }),
  )
  add(415, 'codificacao_invalida', (world) => ask(world, { body: '{}', headers: { 'content-encoding': 'gzip' } }))
  add(429, 'limite_de_requisicoes', async ({ limited, ...world }) => {
    const few = { ...world, limited, running: limited }
    await ask(few, { token: 'unknown' })
    return ask(few, { token: 'unknown' })
  })
  add(500, 'erro_aplicacao', async (world) => {
    await world.running.control('POST', '/faults', { on: 'api', fault: 'server_error' })
    return ask(world, { body: '{}' })
  })
  return together
}

/** Of the charges interface, by the name on the others. */
function chargeCode(nome: string): string {
  if (nome === 'nao_autorizado') return '3500008 unauthorized'
  if (nome === 'nao_encontrado') return '3500010 not_found'
  return nome === 'erro_aplicacao' ? '3500000 internal' : '3500034 validation_error'
}

function token(body: object | string, secret?: string) {
  return async ({ running }: World): Promise<Answer> => {
    const [{ clientId, clientSecret } = { clientId: '', clientSecret: '' }] =
      running.simulator.sites.sandbox.applications.list()
    const basic = Buffer.from(`${clientId}:${secret ?? clientSecret}`).toString('base64')
    const headers = { authorization: `Basic ${basic}` }
    return running.askRaw(
      `${running.baseOf('account')}/oauth/token`,
      { method: 'POST', body, headers },
      running.tlsOf(),
    )
  }
}
const grant_type = 'client_credentials'

export const EVERY_ENDPOINT_ERRORS: Provocations = {
  ...before('Document 1', account, (nome) => nome),
  'Document 1 403 insufficient_scope': [
    async ({ running }) =>
      running.ask('account', {
        path: '/v2/svc/evp',
        token: await running.tokenOf('account', { scope: 'svc.balance.read' }),
      }),
  ],
  ...before('charges', charges, chargeCode),
  'token 400 invalid_request': [token({}), token('{')],
  'token 400 unsupported_grant_type': [token({ grant_type: 'password' })],
  'token 400 invalid_scope': [token({ grant_type, scope: 'unknown' })],
  'token 401 invalid_client': [token({ grant_type }, 'wrong')],
}
