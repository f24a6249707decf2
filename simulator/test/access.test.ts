import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { INTERFACES } from '../src/interfaces.ts'
import { startSimulator } from '../src/service/simulator.ts'
import { simulatorForFile } from './running.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const running = simulatorForFile({ servicePathSegment: 'gn', hostNames: { sandbox: { payment: ['pay.example'] } } })

const webhooks = '/v1/webhook?dataInicio=2020-01-01T00:00:00Z&dataFim=2099-12-31T23:59:59Z'
const TOKEN = { grant_type: 'client_credentials' }

function basic(environment: 'sandbox' | 'production' = 'sandbox', account = 0): Record<string, string> {
  const application = running().simulator.sites[environment].applications.list()[account]
  const credentials = `${application?.clientId}:${application?.clientSecret}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

const askToken = (headers: Record<string, string>, body: unknown = TOKEN, tls = running().tlsOf()) =>
  running().askRaw(`${running().baseOf('payment')}/v1/oauth/token`, { method: 'POST', headers, body }, tls)

it.each(INTERFACES.filter((name) => name !== 'charges'))(
  '%s cuts the connection of a caller without an account certificate, or with the other environment’s',
  async (name) => {
    const url = `${running().baseOf(name)}/v1/webhooks`
    for (const tls of [null, running().tlsOf('production')])
      await expect(running().askRaw(url, {}, tls)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
  },
)

it('charges asks no one for a certificate', async () => {
  const url = `${running().baseOf('charges')}/v1/authorize`
  const answer = await running().askRaw(url, { method: 'POST', headers: basic(), body: TOKEN })
  expect([answer.status, answer.json.expires_in]).toEqual([200, 600])
})

it('a token is good at its own interface and environment, and with its own certificate only', async () => {
  const token = await running().tokenOf('payment')
  const ask = async (base: string, tls = running().tlsOf()) =>
    (await running().askRaw(`${base}${webhooks}`, { headers: { authorization: `Bearer ${token}` } }, tls)).status
  expect([
    await ask(running().baseOf('payment')),
    await ask(running().baseOf('registration').concat('/v1/webhooks?')),
    await ask(running().baseOf('payment', 'production'), running().tlsOf('production')),
    await ask(running().baseOf('payment'), running().tlsOf('sandbox', 1)),
  ]).toEqual([200, 401, 401, 401])
})

it('credentials of the other environment, of another account’s certificate and wrong ones are 401', async () => {
  const wrong = { authorization: `${basic().authorization?.slice(0, -4)}AAAA` }
  const answers = [await askToken(basic('production')), await askToken(basic('sandbox', 1)), await askToken(wrong)]
  answers.push(await askToken({}))
  expect(answers.map(({ status, json }) => [status, json.error])).toEqual(Array(4).fill([401, 'invalid_client']))
})

it('credentials may be encoded as forms encode them, as RFC 6749 asks', async () => {
  const [, encoded = ''] = basic().authorization?.split(' ') ?? []
  const raw = Buffer.from(encoded, 'base64').toString('utf8')
  const answers = await Promise.all(
    [raw.replaceAll('_', '%5F'), raw.replace('_', '%'), `${raw}%5F`].map((text) =>
      askToken({ authorization: `Basic ${Buffer.from(text).toString('base64')}` }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 401])
})

it('the token endpoint takes a form and JSON, and says what is wrong', async () => {
  const form = { ...basic(), 'content-type': 'application/x-www-form-urlencoded' }
  const scope = 'gn.barcode.read payment.webhook.read'
  expect((await askToken(form, new URLSearchParams({ ...TOKEN, scope }).toString())).json).toMatchObject({ scope })
  expect((await askToken(basic(), { ...TOKEN, scope })).json).toMatchObject({ scope, expires_in: 3600 })
  const wrong = [{}, '{', { grant_type: 'password' }, { ...TOKEN, scope: 'svc.barcode.read' }, { ...TOKEN, scope: [] }]
  const answers = await Promise.all(wrong.map((body) => askToken(basic(), body)))
  expect(answers.map(({ status, json }) => [status, json.error])).toEqual([
    [400, 'invalid_request'],
    [400, 'invalid_request'],
    [400, 'unsupported_grant_type'],
    [400, 'invalid_scope'],
    [400, 'invalid_scope'],
  ])
})

it('an OpenAPI document has the address at which it was asked for', async () => {
  const url = `${running().baseOf('payment')}/openapi.json`
  const addressesIn = ({ servers, components }: OpenApi) => [
    servers[0]?.url,
    components.securitySchemes.oauth.flows.clientCredentials.tokenUrl,
  ]
  const prefixed = await running().askRaw(url, {})
  expect(addressesIn(prefixed.json)).toEqual([
    running().baseOf('payment'),
    `${running().baseOf('payment')}/v1/oauth/token`,
  ])
  const own = await running().askRaw(new URL('/openapi.json', url).href, { headers: { host: 'pay.example' } })
  expect(addressesIn(own.json)).toEqual(['https://pay.example', 'https://pay.example/v1/oauth/token'])
})

interface OpenApi {
  readonly servers: { url: string }[]
  readonly components: { securitySchemes: { oauth: { flows: { clientCredentials: { tokenUrl: string } } } } }
}

it('an interface with a host name answers there without its prefix', async () => {
  const headers = { authorization: `Bearer ${await running().tokenOf('payment')}`, host: 'pay.example' }
  const origin = new URL(running().baseOf('payment')).origin
  expect((await running().askRaw(`${origin}${webhooks}`, { headers }, running().tlsOf())).status).toBe(200)
  expect((await running().askRaw(`${origin}/v1/webhook`, {}, running().tlsOf())).status).toBe(404)
})

it('an empty body is none under any content type, and unknown headers are ignored', async () => {
  for (const type of ['application/x-www-form-urlencoded', 'application/json', 'text/plain']) {
    const headers = { 'content-type': type, 'api-sdk': 'x', 'x-idempotency-key': 'y', 'partner-token': 'z' }
    const answer = await running().ask('payment', { method: 'PUT', path: '/v1/webhook', body: '', headers })
    expect([answer.status, answer.json.erros]).toEqual([400, [{ caminho: '/url', mensagem: expect.any(String) }]])
  }
})

it.each(['http/1.1', 'http/1.0'])('a client that offers %s gets it', async (version) => {
  const { simulator } = running()
  const socket = connect({
    host: 'localhost',
    servername: 'localhost',
    port: simulator.ports.sandbox,
    ca: simulator.folder.root,
    ALPNProtocols: [version],
  })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  expect(socket.alpnProtocol).toBe(version)
})

it('a byte order mark before a body of JSON is ignored', async () => {
  const asked = { method: 'PUT', path: '/v1/webhook', body: '\uFEFF{"url":"http://localhost/"}' }
  expect((await running().ask('payment', asked)).json).toMatchObject({ nome: 'protocolo_da_url' })
})

it('a path with a slash at its end is the same one; in other letters it is none', async () => {
  const statuses = ['/v1/webhooks', '/v1/webhooks/', '/V1/webhooks', '/v1/WEBHOOKS'].map(
    async (path) => (await running().ask('registration', { path })).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 200, 404, 404])
})

it('both chains are published on both ports, and the server speaks nothing below TLS 1.2', async () => {
  const { folder, ports } = running().simulator
  for (const environment of ['sandbox', 'production'] as const) {
    const origin = new URL(running().baseOf('account', environment)).origin
    for (const published of ['sandbox', 'production'] as const)
      expect((await running().askRaw(`${origin}/certificates/${published}.pem`, {})).text).toBe(
        folder.environments[published].chain,
      )
  }
  const options = { port: ports.sandbox, ca: folder.root, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const
  const failure = await new Promise<Error>((resolve) =>
    connect({ ...options, ciphers: 'ALL:@SECLEVEL=0' }).on('error', resolve),
  )
  expect(failure.message).toMatch(/protocol version|alert/)
})

it('a known path with another method is 405, also one that ends with digits', async () => {
  const ask = async (method: string, path: string) => {
    const { status, headers } = await running().ask('payment', { method, path })
    return [status, headers.allow]
  }
  expect([await ask('POST', '/v1/123'), await ask('DELETE', '/v1/123/'), await ask('POST', '/v1/12a')]).toEqual([
    [405, 'GET, HEAD'],
    [405, 'GET, HEAD'],
    [404, undefined],
  ])
  expect(await ask('DELETE', '/v1/codBarras/1')).toEqual([405, 'GET, HEAD, POST'])
})

it('credentials of an application that has its own interfaces are 401 at the others', async () => {
  const folder = join(temporaryFolder(), 'simulator')
  cpSync(running().simulator.folder.path, folder, { recursive: true })
  const file = join(folder, 'applications.json')
  const applications = JSON.parse(readFileSync(file, 'utf8'))
  applications.sandbox.applications[0].interfaces = ['payment', 'charges']
  writeFileSync(file, JSON.stringify(applications))
  const options = { port: 0, controlPort: 0, host: null, isKept: false, settingsFile: null, receiverCaFile: null }
  const simulator = await startSimulator({ ...options, folder, report: () => undefined })
  onTestFinished(() => simulator.stop())
  const statuses = ['payment/v1/oauth', 'registration/v1/oauth', 'open-banking/v1/oauth', 'account/oauth'].map(
    async (path) => {
      const url = `https://localhost:${simulator.ports.sandbox}/${path}/token`
      return (await running().askRaw(url, { method: 'POST', headers: basic(), body: TOKEN }, running().tlsOf())).status
    },
  )
  expect(await Promise.all(statuses)).toEqual([200, 401, 401, 401])
})
