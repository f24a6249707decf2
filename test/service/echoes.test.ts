import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createServiceClient } from '../../src/service/client.ts'
import { collectLines, failureOf, guardedConnect } from './service.ts'

const SECRET = 'Client_Secret/0123456789+abcdef'
const TOKEN = `eyJ.${'t0ken-'.repeat(30)}`
/** Of the charge listener: part of addresses that the service is sent. */
const PATH_TOKEN = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'
const BASIC = Buffer.from(`id:${SECRET}`).toString('base64')

/** Every string member that the client reads from a refusal, with the text, in its forms. */
function refusalWith(text: string): string {
  const erros = Array.from({ length: 20 }, () => ({ chave: text, caminho: text, mensagem: text }))
  const both = { nome: text, mensagem: text, erro: text, descricao: text, code: 1, erros, error: text }
  return JSON.stringify({ ...both, error_description: { property: text, message: text } })
}

/** A service that repeats what it got: at the token endpoint where the token is null, else at every other one. */
async function startEcho({ token, status = 400, form = (text: string) => text, padding = 0 }: Echo) {
  const server = createServer(async (request, response) => {
    const isToken = request.url === '/v1/authorize'
    const echo = form(`${'x'.repeat(padding)}${headersOf(request)} ${form(SECRET)} ${form(PATH_TOKEN)}`)
    if (isToken && token !== null) response.end(JSON.stringify({ access_token: token, expires_in: 600 }))
    else if (status < 300) response.writeHead(status).end(JSON.stringify({ data: [{ id: 1, custom_id: echo }] }))
    else response.writeHead(status, { location: echo.slice(0, 500), 'retry-after': '3600' }).end(refusalWith(echo))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Echo {
  readonly token: string | null
  readonly status?: number
  readonly form?: (text: string) => string
  readonly padding?: number
}

const headersOf = ({ headers }: IncomingMessage) => Object.values(headers).join(' ')

/** Everything that leaves the client: failure, log, history. */
async function everythingSaid(echo: Echo): Promise<string> {
  const charges = await startEcho(echo)
  const { lines, log } = collectLines()
  const client = createServiceClient({
    environment: 'sandbox',
    clientId: 'id',
    clientSecret: SECRET,
    authorities: null,
    certificate: null,
    log,
    otherSecrets: [PATH_TOKEN],
    baseAddresses: { account: null, payment: null, registration: null, openBanking: null, charges },
    servicePathSegment: 'svc',
    connect: guardedConnect(),
    now: Date.now,
    random: () => 0,
    retryMs: 1,
  })
  onTestFinished(() => client.close())
  const failure = await failureOf(client.request('charges', { method: 'GET', path: '/v1/charge/1' }))
  return JSON.stringify([failure.message, { ...failure }, lines, client.state()])
}

/** Sixteen characters in a row of a secret, wherever they are. */
function leaksIn(said: string): string[] {
  const plain = said.replaceAll('\\\\', '\\').replaceAll('\\/', '/').toLowerCase()
  return [SECRET, TOKEN, BASIC, PATH_TOKEN].flatMap((secret) =>
    Array.from({ length: secret.length - 15 }, (_, at) => secret.slice(at, at + 16).toLowerCase()).filter((part) =>
      plain.includes(part),
    ),
  )
}

const FORMS: Record<string, (text: string) => string> = {
  'as they are': (text) => text,
  'in capitals': (text) => text.toUpperCase(),
  'as a URL': encodeURIComponent,
  'as JSON with escaped slashes': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
}

for (const [how, form] of Object.entries(FORMS)) {
  it.each([400, 401, 403, 404, 422, 429, 500, 302])(
    `headers that come back ${how} with %i are in no text`,
    async (status) => {
      for (const token of [TOKEN, null]) {
        const said = await everythingSaid({ token, status, form })
        expect(leaksIn(decodeURIComponent(said.replace(/%(?![0-9A-Fa-f]{2})/g, '%25')))).toEqual([])
      }
    },
  )
}

it('a secret on the limit of a text that is cut leaves no part of it', async () => {
  for (let padding = 250; padding < 310; padding += 3)
    expect(leaksIn(await everythingSaid({ token: TOKEN, padding }))).toEqual([])
})

it('a successful answer that has the credentials of its request is none of the service', async () => {
  const said = await everythingSaid({ token: TOKEN, status: 200 })
  expect(said).toContain('with the credentials of the request')
  expect(leaksIn(said)).toEqual([])
})
