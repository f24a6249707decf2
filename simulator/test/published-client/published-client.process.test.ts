import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ENVIRONMENTS } from '../../src/interfaces.ts'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { BUILDS, type ClientOptions, type LoadedBuild, leadTo, loadBuild } from './builds.ts'
import { makeEveryCall } from './every-call.ts'
import { EXCEPTIONS } from './exceptions.ts'
import { judgeAnswers } from './judged.ts'
import { answeredMethods, credentialsOf, filesOf, surroundingsOf } from './surroundings.ts'

let running: RunningSimulator
let receiver: Receiver
const authorities = getCACertificates('default')

beforeAll(async () => {
  running = await runSimulator({ servicePathSegment: 'gn' }, { receiverCaFile: receiverCaFile() })
  receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  // The client has no option for authorities. Programs give them by NODE_EXTRA_CA_CERTS, which counts at the start of a process only.
  setDefaultCACertificates([...authorities, running.simulator.folder.root])
})
afterAll(async () => {
  setDefaultCACertificates(authorities)
  await Promise.all([receiver.stop(), running.stop()])
})

/** Of the endpoints of Documents 1 and 2. */
const ALL_NUMBERS = [
  ...Array.from({ length: 24 }, (_, index) => `1:${index + 1}`),
  ...Array.from({ length: 14 }, (_, index) => `2:${index + 1}`),
]
const PERIOD = { dataInicio: '2026-03-01', dataFim: '2026-03-31' }
const UNKNOWN_TAX = { codBarras: '8'.repeat(48) }

describe.each(BUILDS)('the %s build with another table of base addresses', (name) => {
  let build: LoadedBuild
  let restore: () => void

  beforeAll(async () => {
    build = await loadBuild(name)
    restore = leadTo(running, build)
  })
  afterAll(() => restore())

  const clientWith = (changes: Partial<ClientOptions> = {}) =>
    new build.Client({ ...credentialsOf(running), certificate: filesOf(running).p12, ...changes })

  it('makes a call to each of the 38 endpoints, and its schemas parse every answer but the exceptions', {
    timeout: 60_000,
  }, async () => {
    const answered = await answeredMethods(running, build)
    const verdict = judgeAnswers(await makeEveryCall(build, surroundingsOf(running, receiver)), build)
    expect(verdict).toEqual({
      methods: answered.map(({ method }) => method).sort(),
      wrongRequests: [],
      unparsed: [],
      unused: [],
    })
    const numbers = answered.flatMap(({ number }) => number ?? [])
    expect(new Set(numbers)).toEqual(new Set(ALL_NUMBERS))
  })

  it('shows its account certificate in each form that it takes', async () => {
    const { p12, cert, key, pem } = filesOf(running)
    const base64 = (file: string) => readFileSync(file).toString('base64')
    const forms = [
      { certificate: p12 },
      { certificate: cert, pemKey: key },
      { certificate: pem, pemKey: pem },
      { certificate: base64(p12), cert_base64: true },
      { certificate: base64(cert), pemKey: base64(key), cert_base64: true },
    ]
    for (const form of forms)
      expect(await clientWith(form).payListPayments?.(PERIOD)).toMatchObject({ datas: { inicial: '2026-03-01' } })
  })

  it.each(ENVIRONMENTS)('calls the %s with and without a certificate', async (environment) => {
    const options = { ...credentialsOf(running, environment), certificate: filesOf(running, environment).p12 }
    expect(await clientWith(options).payListPayments?.(PERIOD)).toMatchObject({ solicitacoes: {} })
    const { certificate, ...credentials } = options
    const created = await new build.Client(credentials).createCharge?.({ items: [{ name: 'A', value: 1, amount: 1 }] })
    expect(created).toMatchObject({ code: 200, data: { total: 1 } })
  })

  it('keeps a token for each base address', async () => {
    const issue = vi.spyOn(running.simulator.sites.sandbox.tokens, 'issue')
    const client = clientWith()
    for (let round = 0; round < 2; round += 1) {
      await client.payListPayments?.(PERIOD)
      await client.getAccountBalance?.({})
      await client.createCharge?.({ items: [{ name: 'A', value: 1, amount: 1 }] })
    }
    expect(issue.mock.calls.map(([token]) => token.interface)).toEqual(['payment', 'account', 'charges'])
    await clientWith({ cache: false }).payListPayments?.(PERIOD)
    expect(issue).toHaveBeenCalledTimes(4)
  })

  it.each<[string, unknown[], Partial<ClientOptions>, object]>([
    ['payDetailBarCode', [UNKNOWN_TAX], {}, { nome: 'erro_de_validacao', mensagem: expect.any(String) }],
    ['payRequestBarCode', [UNKNOWN_TAX, { valor: 1 }], {}, { erro: 0, descricao: expect.any(String) }],
    ['payDeleteWebhook', [{ url: 'https://a.example.com' }], {}, { nome: 'webhook_nao_encontrado' }],
    ['accountDetailWebhook', [{ identificadorWebhook: 'a' }], {}, { nome: 'identificador_webhook' }],
    ['ofConfigUpdate', [{}], {}, { nome: 'redirect_url_obrigatorio' }],
    ['detailCharge', [{ id: 1 }], {}, { error: 'not_found', error_description: expect.any(String) }],
    ['detailCharge', [{ id: 1 }], { client_secret: 'another' }, { error: 'invalid_client' }],
    ['payListPayments', [PERIOD], { client_secret: 'another' }, { error: 'invalid_client' }],
  ])('passes on the error of %s %j %j', async (method, args, changes, error) => {
    await expect(clientWith(changes)[method]?.(...args)).rejects.toMatchObject(error)
  })

  it('passes on that its token has ended, and a new client goes on', async () => {
    const client = clientWith()
    await client.payListPayments?.(PERIOD)
    await running.control('POST', '/tokens/expire', {})
    await expect(client.payListPayments?.(PERIOD)).rejects.toMatchObject({ nome: 'nao_autorizado' })
    await expect(clientWith().payListPayments?.(PERIOD)).resolves.toBeDefined()
  })

  it('is cut off with the certificate of the other environment', async () => {
    const client = clientWith({ certificate: filesOf(running, 'production').p12 })
    await expect(client.payListPayments?.(PERIOD)).rejects.toThrow('Verifique sandbox e certificate')
  })

  it('registers an address that accepts every caller only with validateMtls: false', async () => {
    const open = await startReceiver({ chain: null })
    onTestFinished(() => open.stop())
    const url = open.urlOf(name)
    await expect(clientWith().payConfigWebhook?.({ url })).rejects.toMatchObject({ nome: 'mtls_nao_configurado' })
    expect(await clientWith({ validateMtls: false }).payConfigWebhook?.({ url })).toEqual({ url })
  })
})

it('has the exceptions that simulator/docs/clients.md lists', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/clients.md'), 'utf8')
  const [, section = ''] = page.split('\n## The published client\n')
  const [, rows = ''] = /\| method \| answer \| member \| reason \|\n\|[-|]+\|\n((?:\|.*\n)*)/.exec(section) ?? []
  const expected = EXCEPTIONS.map(
    ({ method, about, member, reason }) =>
      `| \`${method}\` | ${about ?? 'every'} | ${member === null ? 'none' : `\`${member}\``} | ${reason} |`,
  )
  expect(rows.trimEnd().split('\n')).toEqual(expected)
})
