import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Receiver, type ReceiverOptions, receiverCaFile, startReceiver } from '../receiver.ts'
import { runSimulator, simulatorForFile } from '../running.ts'

const running = simulatorForFile({ webhooks: { retryMinutes: 'short' } }, { receiverCaFile: receiverCaFile() })

async function receiver(options: Partial<ReceiverOptions> = {}): Promise<Receiver> {
  const started = await startReceiver({ chain: running().simulator.folder.environments.sandbox.chain, ...options })
  onTestFinished(() => started.stop())
  return started
}
const register = (webhookUrl: string, headers = {}) =>
  running().ask('registration', { method: 'POST', path: '/v1/webhook', body: { webhookUrl }, headers })

describe('registering an address in the field', () => {
  it('makes the two requests: the second one carries the test body', async () => {
    const good = await receiver()
    expect((await register(good.urlOf('hook?x=1'))).status).toBe(200)
    expect(good.received).toEqual([
      { path: '/hook?x=1', contentType: 'application/json', body: '{"evento":"teste_webhook"}' },
    ])
  })

  it('names what is wrong with an address', async () => {
    const open = await receiver({ chain: null })
    const failing = await receiver({ answer: () => 500 })
    const moved = await receiver({ answer: () => 302 })
    const cutting = await receiver({ answer: () => 'cut' })
    const production = await receiver({ chain: running().simulator.folder.environments.production.client.cert })
    const wrong: [string, string][] = [
      ['no address', 'url_webhook'],
      [open.urlOf('a').replace('https:', 'http:'), 'protocolo_da_url'],
      [open.urlOf('a'), 'mtls_nao_configurado'],
      ['https://localhost:1/', 'url_inacessivel'],
      ['https://93.184.215.14/', 'url_inacessivel'],
      [production.urlOf('a'), 'url_falhou_com_erro'],
      [cutting.urlOf('a'), 'url_falhou_com_erro'],
      [failing.urlOf('a'), 'erro_de_codigo'],
      [moved.urlOf('a'), 'erro_de_codigo'],
      ['https://no-such-name.invalid/', 'url_informada_nao_existe'],
    ]
    const answers = await Promise.all(wrong.map(([url]) => register(url)))
    expect(answers.map(({ status, json }, index) => [wrong[index]?.[0], status, json.nome])).toEqual(
      wrong.map(([url, nome]) => [url, 400, nome]),
    )
  })

  it.each([400, 401, 403, 404, 421, 499])(
    'takes %i to the request without a certificate for a refusal',
    async (status) => {
      const refusing = await receiver({ uncertified: (_request, response) => void response.writeHead(status).end() })
      expect((await register(refusing.urlOf('a'))).status).toBe(200)
      expect(refusing.received).toHaveLength(1)
    },
  )

  it.each<[string, string, RequestListener]>([
    ['200', 'mtls_nao_configurado', (_request, response) => void response.end()],
    [
      '101',
      'mtls_nao_configurado',
      ({ socket }) =>
        void socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: other\r\n\r\n'),
    ],
    ['204', 'mtls_nao_configurado', (_request, response) => void response.writeHead(204).end()],
    ['302', 'mtls_nao_configurado', (_request, response) => void response.writeHead(302).end()],
    ['an answer that is not HTTP', 'mtls_nao_configurado', ({ socket }) => void socket.end('220 mail ready\r\n')],
    [
      'the status 200 and nothing behind it',
      'mtls_nao_configurado',
      ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'),
    ],
    ['500', 'erro_de_codigo', (_request, response) => void response.writeHead(500).end()],
    ['503', 'erro_de_codigo', (_request, response) => void response.writeHead(503).end()],
  ])('takes %s to the request without a certificate for no refusal: %s', async (_name, nome, uncertified) => {
    const lax = await receiver({ uncertified })
    expect((await register(lax.urlOf('a'))).json.nome).toBe(nome)
    expect(lax.received).toEqual([])
  })

  it('says what happened in Portuguese, without a text of Node or OpenSSL', async () => {
    const plain = createServer((socket) => socket.end('220 mail ready\r\n')).listen(0, '127.0.0.1')
    onTestFinished(() => void plain.close())
    await new Promise((resolve) => plain.once('listening', resolve))
    const other = await receiver({ chain: running().simulator.folder.environments.production.client.cert })
    const cutting = await receiver({ answer: () => 'cut' })
    const good = await receiver()
    const failed = 'A conexão com o certificado do serviço falhou.'
    const cases: [string, string | RegExp][] = [
      ['https://localhost:1/', 'Não foi possível conectar ao servidor da URL. (conexão recusada)'],
      ['https://no-such-name.invalid/', 'O nome do servidor da URL não existe.'],
      [
        'https://93.184.215.14/',
        'Não foi possível conectar ao servidor da URL. (o simulador só chama endereços públicos com a configuração webhooks.allowPublicAddresses)',
      ],
      [
        `https://localhost:${(plain.address() as AddressInfo).port}/`,
        `${failed} (o servidor não fala TLS nesta porta)`,
      ],
      [other.urlOf('a'), `${failed} (a conexão foi encerrada sem resposta)`],
      [cutting.urlOf('a'), `${failed} (a conexão foi encerrada sem resposta)`],
      [
        good.urlOf('a').replace('localhost', '[::ffff:127.0.0.1]'),
        `${failed} (o certificado do servidor não é confiável: não contém o nome do servidor)`,
      ],
    ]
    const answers = await Promise.all(cases.map(([url]) => register(url)))
    expect(answers.map(({ json }) => json.mensagem)).toEqual(cases.map(([, mensagem]) => mensagem))
  })

  it('names an address that does not answer in time', async () => {
    const settings = { webhooks: { timeoutSeconds: 1 } }
    const impatient = await runSimulator(settings, { receiverCaFile: receiverCaFile() })
    onTestFinished(() => impatient.stop())
    const { chain } = impatient.simulator.folder.environments.sandbox
    const silent = await receiver({ chain, answer: () => 'silence' })
    const body = { webhookUrl: silent.urlOf('a') }
    const { status, json } = await impatient.ask('registration', { method: 'POST', path: '/v1/webhook', body })
    expect([status, json.nome]).toEqual([400, 'limite_de_tempo_atingido_para_url'])
  })

  it('without the first request where the caller asks for that', async () => {
    const open = await receiver({ chain: null })
    expect((await register(open.urlOf('b'), { 'x-skip-mtls-checking': 'true' })).status).toBe(200)
    expect(open.received).toHaveLength(1)
  })

  it('a webhook is moved to another address, and keeps its identifier', async () => {
    const good = await receiver()
    const { identificadorWebhook: chave } = (await register(good.urlOf('old'))).json
    const move = (body: object) => running().ask('registration', { method: 'POST', path: '/v1/webhook', body })
    const answer = await move({ url: good.urlOf('new'), chave })
    expect([answer.status, answer.json]).toEqual([200, { identificadorWebhook: chave }])
    expect((await running().ask('registration', { path: `/v1/webhook/${chave}` })).json.webhookUrl).toBe(
      good.urlOf('new'),
    )
    const unknown = await move({ url: good.urlOf('newer'), chave: 'none' })
    expect([unknown.status, unknown.json.nome]).toEqual([400, 'chave_invalida'])
  })

  it('a certificate that no known authority issued is no good receiver', async () => {
    const other = await runSimulator()
    onTestFinished(() => other.stop())
    const good = await receiver({ chain: other.simulator.folder.environments.sandbox.chain })
    const asked = { method: 'POST', path: '/v1/webhook', body: { webhookUrl: good.urlOf('a') } }
    const { status, json } = await other.ask('registration', asked)
    expect([status, json.nome, good.received]).toEqual([400, 'url_falhou_com_erro', []])
    expect(json.mensagem).toMatch(
      /o certificado do servidor não é confiável: (o emissor|a raiz da cadeia) não é conhecid/,
    )
  })
})

describe('a callback', () => {
  const send = (url: string) =>
    running().simulator.sites.sandbox.webhooks.send({ interface: 'payment', account: '1', url, body: '{"a":150.10}' })
  const shown = (id: number) => running().simulator.sites.sandbox.webhooks.callbacks.get(id)

  it('is delivered byte for byte, over mutual TLS', async () => {
    const good = await receiver()
    const id = send(good.urlOf('pay'))
    await good.arrived(1)
    await running().simulator.sites.sandbox.tasks.settled()
    expect(good.received[0]).toEqual({ path: '/pay', contentType: 'application/json', body: '{"a":150.10}' })
    expect(shown(id)).toMatchObject({
      state: 'delivered',
      attempts: [{ outcome: { kind: 'answered', status: 200, body: '200' } }],
    })
  })

  it('is tried again in simulated time until it is answered with 2xx', async () => {
    const statuses = [503, 301, 307]
    const flaky = await receiver({ answer: () => statuses.shift() ?? 204 })
    const { clock, tasks } = running().simulator.sites.sandbox
    const begin = clock.now()
    const id = send(flaky.urlOf('pay'))
    await tasks.settled()
    await tasks.moveTo(begin + 60 * 60_000, false)
    const { attempts = [], state } = shown(id) ?? {}
    expect([state, attempts.map(({ outcome }) => 'status' in outcome && outcome.status)]).toEqual([
      'delivered',
      [503, 301, 307, 204],
    ])
    // The short preset: 0, 5 and 5 minutes.
    const minutes = attempts.map(({ at }) => Math.round((at - (attempts[0]?.at ?? 0)) / 60_000))
    expect(minutes).toEqual([0, 0, 5, 10])
  })

  it('comes after a request without a certificate where the setting says so, which never disturbs it', async () => {
    const settings = { webhooks: { probe: 'always' } } as const
    const probing = await runSimulator(settings, { receiverCaFile: receiverCaFile() })
    onTestFinished(() => probing.stop())
    const good = await receiver({ chain: probing.simulator.folder.environments.sandbox.chain })
    const open = await receiver({ chain: null })
    const { webhooks, tasks } = probing.simulator.sites.sandbox
    const sendTo = (url: string) => webhooks.send({ interface: 'payment', account: '1', url, body: '{"a":1}' })
    const ids = [good, open].map((one) => sendTo(one.urlOf('pay')))
    await Promise.all([good.arrived(1), good.refused(1), open.arrived(2), tasks.settled()])
    expect(good.received).toHaveLength(1)
    expect(ids.map((id) => webhooks.callbacks.get(id))).toMatchObject(
      Array(2).fill({ state: 'delivered', attempts: [{ outcome: { status: 200 } }] }),
    )
  })

  it('is given up for ever after the last try', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void closed.close())
    closed.on('connection', (socket) => socket.destroy())
    await new Promise((resolve) => closed.once('listening', resolve))
    const { clock, tasks } = running().simulator.sites.sandbox
    const id = send(`https://localhost:${(closed.address() as { port: number }).port}/`)
    await tasks.settled()
    await tasks.moveTo(clock.now() + 24 * 3_600_000, false)
    expect([shown(id)?.state, shown(id)?.attempts.length]).toEqual(['given_up', 10])
  })
})
