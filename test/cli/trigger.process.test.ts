import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { expect, inject, it, onTestFinished } from 'vitest'
import { callApi } from '../support/calls.ts'
import { BASE_CALLBACKS, createSite, spawnGateway } from '../support/gateway.ts'
import { reservePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { linesOf, portaria } from './program.ts'

interface Sent {
  readonly kind: string
  readonly state: string | null
  readonly url: string
  readonly body: string
  readonly status: number | null
  readonly problems: readonly string[]
}

const CHARGE_TOKEN = '0123456789abcdef0123456789abcdef'
const LISTENER = { host: '127.0.0.1', certificate: 'certs/server.crt', privateKey: 'certs/server.key' }

/** Its ports are in the configuration, so that the command finds them. */
async function siteWithPorts() {
  const site = await createSite({
    callbacks: Object.assign({}, BASE_CALLBACKS, { port: await reservePort() }),
    chargeNotifications: Object.assign({}, LISTENER, {
      port: await reservePort(),
      tokens: [{ environment: 'sandbox', tokenFile: 'charge-token' }],
    }),
  })
  writeFileSync(join(site.folder, 'charge-token'), CHARGE_TOKEN, { mode: 0o600 })
  return site
}

it('a script sends every state of every kind of the service to the gateway of the configuration, about the same things', async () => {
  const site = await siteWithPorts()
  const gateway = await spawnGateway(site)
  const listed = linesOf<{ kind: string; states: string[] }>(await portaria(null, 'trigger', '--list', '--json'))
  const wanted = listed
    .filter(({ kind }) => !['pix', 'open-banking'].includes(kind))
    .flatMap(({ kind, states }) => states.map((state) => ({ kind, state })))
  expect(wanted.length).toBeGreaterThan(20)
  const script = join(site.folder, 'all.yaml')
  writeFileSync(
    script,
    JSON.stringify([{ wait: '1ms' }, ...wanted, { kind: 'payment', new: true, set: { valor: '1.00' } }]),
  )

  const ended = await portaria(site, 'trigger', '--script', script, '--json')

  expect([ended.code, ended.stderr]).toEqual([0, ''])
  const sent = linesOf<Sent>(ended)
  expect(sent.map(({ kind, state, status, problems }) => ({ kind, state, status, problems }))).toEqual(
    [...wanted, { kind: 'payment', state: 'LIQUIDADO' }].map((one) => ({
      kind: one.kind,
      state: one.state,
      status: 200,
      problems: [],
    })),
  )
  expect(ended.stdout).not.toContain(CHARGE_TOKEN)
  const { body } = await callApi(gateway.api, '/v1/events?limit=100&kind=payment')
  const payments = (JSON.parse(body) as { data: { subject: string; status: string; environment: string }[] }).data
  expect(payments.map(({ status }) => status)).toEqual([
    ...['LIQUIDADO', 'CRIADO', 'AGENDADO', 'EM_PROCESSAMENTO', 'EXECUTADO', 'NAO_REALIZADO', 'CANCELADO', 'LIQUIDADO'],
  ])
  expect([new Set(payments.map(({ subject }) => subject)).size, payments[0]?.environment]).toEqual([2, 'sandbox'])
})

it('calls any address with the certificate of the test CA, as the institution would: with its suffix, and with members set', async () => {
  const read = (file: string) => readFileSync(join(inject('testCa'), file))
  const seen: object[] = []
  const options = { cert: read('server.crt'), key: read('server.key'), requestCert: true, rejectUnauthorized: false }
  const server = createServer(options, async (request, response) => {
    const caller = (request.socket as TLSSocket).getPeerCertificate().subject.CN
    seen.push({ url: request.url, caller, body: JSON.parse(await text(request)) })
    response.writeHead(request.url === '/broken' ? 500 : 200).end()
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const at = `https://localhost:${(server.address() as AddressInfo).port}`
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'body.json'), '{"identificador":"1","valor":"1.00"}')
  const common = ['--ca', join(inject('testCa'), 'server-ca.crt'), '--laboratory', join(folder, 'keys')]
  const trigger = (...args: string[]) => portaria(null, 'trigger', ...args, ...common)

  const pix = await trigger(
    'pix',
    'payment',
    '--set',
    'pix.0.valor=7.00',
    '--set',
    'pix.0.more:={"a":[1]}',
    '--to',
    `${at}/hook`,
  )
  const file = await trigger(
    'payment',
    '--file',
    join(folder, 'body.json'),
    '--set',
    'valor=2.00',
    '--to',
    `payment=${at}/broken`,
  )

  expect([pix.code, pix.stderr]).toEqual([
    0,
    '--set pix.0.more:={"a":[1]} adds pix.0.more: pix.0 has endToEndId, txid, chave, valor, horario, infoPagador\n',
  ])
  expect(pix.stdout).toMatch(new RegExp(`^✓ pix payment ${at}/hook/pix: 200 after \\d+ ms\n$`))
  expect([file.code, file.stderr]).toEqual([1, ''])
  expect(file.stdout).toBe(`✗ payment ${at}/broken: the status is 500, not 200 or 201 or 202 or 204\n`)
  expect(seen).toEqual([
    {
      url: '/hook/pix',
      caller: 'Conformance test sandbox',
      body: { pix: [expect.objectContaining({ valor: '7.00', more: { a: [1] } })] },
    },
    { url: '/broken', caller: 'Conformance test sandbox', body: { identificador: '1', valor: '2.00' } },
  ])
})

it('says what to do where the gateway would refuse the certificate, and what is wrong with an argument', async () => {
  const folder = temporaryFolder()
  const site = await siteWithPorts()
  const other = await createSite({
    callbacks: Object.assign({}, BASE_CALLBACKS, {
      port: await reservePort(),
      trust: [{ environment: 'sandbox', chain: 'trust/production.pem' }],
    }),
  })
  mkdirSync(join(other.folder, 'trust'))
  copyFileSync(join(other.certs, 'trust/production.pem'), join(other.folder, 'trust/production.pem'))
  const keys = ['--laboratory', join(folder, 'keys')]
  const refused = await portaria(other, 'trigger', 'payment', ...keys)
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(
    /would refuse the test certificate: .* conformance chain --folder chains" and install conformance-sandbox\.pem/,
  )

  const fileOf = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const script = fileOf('script.yaml', '- kind: payment\n  state: PAGO\n')
  const noJson = fileOf('body.txt', 'identificador=1')
  const to = ['--to', 'https://localhost:1/', '--laboratory', join(folder, 'keys')]
  const wrong: [string[], RegExp][] = [
    [[], /name a kind, or give --script/],
    [['bill'], /there is no kind bill: give payment, registration, /],
    [['payment', 'PAGO'], /payment has no state PAGO: give LIQUIDADO, /],
    [['payment', '--set', 'valor'], /--set valor: give MEMBER=VALUE/],
    [['charge', '--set', 'notification.entries.0.charge_id=x'], /its value is no JSON/],
    [['payment', '--form', 'token'], /the form token is for charge, subscription, carnet/],
    [['payment', '--to', 'nowhere'], /--to "nowhere" is not a URL/],
    [['payment', '--script', script], /--script has its kinds/],
    [['--script', script], /step 1: payment has no state PAGO/],
    [['--script', join(folder, 'none.yaml')], /--script .*none\.yaml cannot be read: /],
    [['--script', fileOf('broken.yaml', '- kind: [')], /--script .*broken\.yaml is no YAML/],
    [['--script', fileOf('map.yaml', 'kind: payment\n')], /map\.yaml: a list of steps is expected/],
    [['--script', fileOf('empty.yaml', '')], /empty\.yaml: a list of steps is expected/],
    [
      ['--script', fileOf('typo.yaml', '- kind: payment\n  stat: CRIADO\n')],
      /typo\.yaml: step 1: .*with kind \(and state/,
    ],
    [['--script', fileOf('wait.yaml', '- kind: payment\n- wait: soon\n')], /wait\.yaml: step 2: .*with wait: 500ms/],
    [
      ['--script', fileOf('file.yaml', '- kind: payment\n  file: gone.json\n'), ...to],
      /--file .*gone\.json cannot be read/,
    ],
    [['payment', '--file', join(folder, 'none.json'), ...to], /--file .*none\.json cannot be read: /],
    [['payment', 'CRIADO', '--file', noJson], /a file has its own state: leave the state out/],
    [['payment', '--file', noJson, '--set', 'valor=1', ...to], /--set changes JSON, and .*body\.txt has none/],
    [['pix'], /has no route for the kind pix .*: give the address with --to/],
  ]
  const ended = await Promise.all(wrong.map(([args]) => portaria(site, 'trigger', ...args)))
  for (const [at, [args, pattern]] of wrong.entries()) {
    expect([ended[at]?.code, ended[at]?.stdout], args.join(' ')).toEqual([2, ''])
    expect(ended[at]?.stderr, args.join(' ')).toMatch(pattern)
  }
})
