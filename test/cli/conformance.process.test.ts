import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, inject, it, onTestFinished } from 'vitest'
import {
  BASE_CALLBACKS,
  createSite,
  MAIN,
  type SpawnedGateway,
  spawnGateway,
  type TestSite,
} from '../support/gateway.ts'
import { reservePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Ended, linesOf, portaria } from './program.ts'

interface Scenario {
  readonly id: string
  readonly verdict: 'pass' | 'fail' | 'warn' | 'skip'
  readonly reason: string
}

interface Json {
  readonly ok: boolean
  readonly url: string
  readonly scenarios: readonly Scenario[]
}

const jsonOf = (ended: Ended) => linesOf<Json>(ended)[0] as Json
const withVerdict = ({ scenarios }: Json, verdict: Scenario['verdict']) =>
  scenarios.filter((one) => one.verdict === verdict).map(({ id }) => id)

/** A gateway that has the chain of the test CA installed, as one environment. */
async function gatewayWithChain(keys: string): Promise<{ site: TestSite; gateway: SpawnedGateway; options: string[] }> {
  const site = await createSite({
    callbacks: {
      ...BASE_CALLBACKS,
      trust: [{ environment: 'production', chain: 'chains/conformance-production.pem' }],
    },
    institutions: [
      {
        name: 'bank-a',
        preset: 'open-finance',
        trust: [{ environment: 'sandbox', chain: 'chains/conformance-sandbox.pem' }],
      },
    ],
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      certificate: 'certs/server.crt',
      privateKey: 'certs/server.key',
      tokens: [{ environment: 'production', tokenFile: 'charge-token' }],
    },
  })
  writeFileSync(join(site.folder, 'charge-token'), CHARGE_TOKEN, { mode: 0o600 })
  const written = await portaria(
    null,
    'conformance',
    'chain',
    '--folder',
    join(site.folder, 'chains'),
    '--laboratory',
    keys,
  )
  expect([written.code, written.stderr]).toEqual([0, ''])
  const gateway = await spawnGateway(site)
  const poll = `http://127.0.0.1:${gateway.api.port}/v1/events?after=latest`
  const stored = ['--poll', poll, '--poll-token', join(site.folder, 'operator-token')]
  const options = ['--laboratory', keys, '--ca', join(site.certs, 'server-ca.crt'), ...stored]
  return { site, gateway, options }
}

const CHARGE_TOKEN = '0123456789abcdef0123456789abcdef'

it('the gateway itself passes all of it, as a receiver of callbacks and of charges', async () => {
  const keys = join(temporaryFolder(), 'keys')
  const { site, gateway, options } = await gatewayWithChain(keys)
  const at = (port: number | undefined, path: string) => `https://localhost:${port}${path}`
  const page = join(site.folder, 'report.html')
  const runs: Record<string, string[]> = {
    callbacks: [
      ...[at(gateway.callbacks.port, '/callbacks/payment'), '--environment', 'production'],
      ...['--preset', 'service', '--html', page],
    ],
    openFinance: [at(gateway.callbacks.port, '/bank-a'), '--environment', 'sandbox', '--preset', 'open-finance'],
    charges: ['--charges', at(gateway.charges?.port, `/charges/${CHARGE_TOKEN}`)],
  }
  const ended = await Promise.all(
    Object.values(runs).map((args) => portaria(null, 'conformance', ...args, ...options, '--json')),
  )
  expect(ended.map(({ stderr }) => stderr)).toEqual(['', '', ''])
  for (const json of ended.map(jsonOf))
    expect({ ok: json.ok, fail: withVerdict(json, 'fail'), warn: withVerdict(json, 'warn') }, json.url).toEqual({
      ok: true,
      fail: [],
      warn: [],
    })
  // What an institution does not do, and the second address of charges.
  expect(ended.map((one) => withVerdict(jsonOf(one), 'skip'))).toEqual([
    ['answer-echo'],
    [
      ...['batch-member', 'batch-root', 'suffix-behind-query', 'suffix-double-slash'],
      ...['test-event', 'test-object', 'test-empty'],
    ],
    ['charge-http'],
  ])
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(readFileSync(page, 'utf8')).toContain('stored-before-answer')
})

it('a receiver that accepts everybody ends with 1, in words that say what to do', async () => {
  const folder = temporaryFolder()
  const read = (file: string) => readFileSync(join(inject('testCa'), file))
  const server = createServer({ cert: read('server.crt'), key: read('server.key') }, (request, response) => {
    request.resume().on('end', () => response.end('200'))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}/hook`
  const junit = join(folder, 'report.xml')
  const { code, stdout, stderr } = await portaria(
    null,
    ...['conformance', url, '--laboratory', join(folder, 'keys'), '--ca', join(inject('testCa'), 'server-ca.crt')],
    ...['--lang', 'pt', '--junit', junit],
  )
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toMatch(new RegExp(`^Conformidade de ${url}\n`))
  expect(stdout).toMatch(/\n✗ certless: Quem chama sem certificado é recusado\n {4}sem certificado: aceito, HTTP 200\n/)
  expect(stdout).toMatch(/\n {4}nginx: ssl_client_certificate /)
  expect(stdout).toMatch(/\n- stored-once: .*\n {4}não se sabe o que o receptor gravou/)
  expect(readFileSync(junit, 'utf8')).toMatch(/<failure message="sem certificado: aceito, HTTP 200">/)
})

it.each([
  { what: 'stores each body', status: 200, stores: true, code: 0, fail: [] },
  { what: 'answers before it stores', status: 200, stores: false, code: 1, fail: ['stored-before-answer'] },
  { what: 'fails', status: 500, stores: true, code: 1, fail: ['charge-token', 'charge-entries'] },
  { what: 'refuses a token that it had', repeated: 409, stores: true, code: 1, fail: ['charge-token-twice'] },
  { what: 'takes a token that it had for a duplicate', stores: 'new', code: 1, fail: ['stored-same-bytes'] },
])('a receiver of charges over http alone that $what ends with $code', async (receiver) => {
  const { status = 200, repeated = status, stores, code, fail } = receiver
  const seen = new Set<string>()
  const folder = temporaryFolder()
  const log = join(folder, 'log')
  writeFileSync(log, '')
  const server = createHttpServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    const isKnown = seen.has(body)
    seen.add(body)
    if (stores === true || (stores === 'new' && !isKnown)) appendFileSync(log, `${body}\n`)
    response.writeHead(isKnown && body !== '' ? repeated : status).end()
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/charges/token`
  const ended = await portaria(
    null,
    ...['conformance', '--charges', url, '--laboratory', join(folder, 'keys'), '--log', log, '--json'],
  )
  expect([ended.stderr, ended.code]).toEqual(['', code])
  const json = jsonOf(ended)
  expect(withVerdict(json, 'fail')).toEqual(expect.arrayContaining(fail))
  if (fail.length === 0) expect(withVerdict(json, 'fail')).toEqual([])
  expect(withVerdict(json, 'skip')).toContain('charge-https')
})

it('where no one answers, the end is 1; wrong usage is one sentence and 2, and makes nothing', async () => {
  const folder = temporaryFolder()
  const keys = join(folder, 'keys')
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const url = `https://127.0.0.1:${await reservePort()}/hook`
  const unused = await portaria(null, 'conformance', url, '--json', '--laboratory', keys)
  expect([unused.code, jsonOf(unused).ok, withVerdict(jsonOf(unused), 'fail')]).toEqual([1, false, ['notification']])

  const key = file('server.key', 'PRIVATE')
  const wrong: [string[], RegExp][] = [
    [
      [url, '--html', key],
      /^portaria: --html .*server\.key exists and is no report of this command: name another file\n$/,
    ],
    [[url, '--junit', key], /^portaria: --junit .*server\.key exists and is no report of this command: .*\n$/],
    [[url, '--html', folder], /^portaria: --html .* cannot be written: it is a folder\n$/],
    [[], /^portaria: no address is given: name the one that callbacks go to, https:\/\/HOST:PORT\/PATH\n$/],
    [['no-url'], /^portaria: "no-url" is not a URL: give https:\/\/HOST:PORT\/PATH\n$/],
    [['http://localhost/'], /^portaria: the URL begins with http: and the service calls https: only: .*\n$/],
    [['https://a:b@localhost/'], /^portaria: the URL holds a user name or password, .*\n$/],
    [
      [url, '--preset', 'bank'],
      /^error: option '--preset <preset>' argument 'bank' is invalid\. Allowed choices are .*/,
    ],
    [
      [url, '--lang', 'xx'],
      /^error: option '--lang <language>' argument 'xx' is invalid\. Allowed choices are en, pt\./,
    ],
    [[url, '--environment', 'test'], /^error: option '--environment <environment>' argument 'test' is invalid\./],
    [
      [url, '--kind', 'pix'],
      /^portaria: --kind "pix" is none of the preset service: give payment, registration, .*\n$/,
    ],
    [[url, '--timeout', '0'], /^portaria: --timeout "0" is not a time: give seconds, at most 3600\n$/],
    [
      [url, '--ca', join(folder, 'none')],
      /^portaria: --ca \S+none cannot be read: it does not exist; name a file that this user may read\n$/,
    ],
    [[url, '--ca', file('empty.pem', 'no certificate')], /^portaria: --ca \S+empty\.pem has no certificate: .*\n$/],
    [
      [url, '--log', join(folder, 'none')],
      /^portaria: --log \S+none cannot be read: it does not exist; name the file .*\n$/,
    ],
    [[url, '--log', folder], /^portaria: --log \S+ cannot be read: it is no file; .*\n$/],
    [[url, '--poll', 'nowhere'], /^portaria: --poll "nowhere" is not a URL: .*\n$/],
    [[url, '--poll', url.replace('https', 'http')], /^portaria: --poll \S+ cannot be read: .*ECONNREFUSED.*\n$/],
    [[url, '--log', file('log', ''), '--poll', url], /^portaria: --log and --poll exclude each other: .*\n$/],
    [[url, '--charges', url], /^portaria: --charges is in place of the URL: leave one of them out\n$/],
    [['--charges', url, '--charges', url], /^portaria: --charges is given at most twice: .*\n$/],
    [[url, '--junit', join(folder, 'none/report.xml')], /^portaria: --junit \S+ cannot be written: ENOENT.*\n$/],
  ]
  const ended = await Promise.all(
    wrong.map(([args]) => portaria(null, 'conformance', '--laboratory', keys, '--timeout', '1', ...args)),
  )
  for (const [index, [args, pattern]] of wrong.entries()) {
    expect([ended[index]?.code, ended[index]?.stdout], args.join(' ')).toEqual([2, ''])
    expect(ended[index]?.stderr, args.join(' ')).toMatch(pattern)
  }
})

it('the chains are the same bytes on every run, and no configuration is read', async () => {
  const folder = temporaryFolder()
  const [keys, one, two] = ['keys', 'one', 'two'].map((name) => join(folder, name)) as [string, string, string]
  const run = (chains: string, ...more: string[]) =>
    portaria(
      { configFile: '/nowhere/portaria.yaml' } as TestSite,
      ...['conformance', 'chain', '--folder', chains, '--laboratory', keys, ...more],
    )
  const first = await run(one)
  cpSync(one, two, { recursive: true })
  const again = await run(two, '--json')

  expect(first.stdout).toMatch(
    /^production: install \S+conformance-production\.pem, and pin \S+-issuer\.pem\nsandbox: /,
  )
  expect(linesOf(again)[0]).toMatchObject({ production: { chain: join(two, 'conformance-production.pem') } })
  expect(readdirSync(one).sort()).toEqual([
    ...['conformance-README.txt', 'conformance-production-issuer.pem', 'conformance-production.pem'],
    ...['conformance-sandbox-issuer.pem', 'conformance-sandbox.pem'],
  ])
  for (const file of readdirSync(one))
    expect(readFileSync(join(two, file)), file).toEqual(readFileSync(join(one, file)))
  expect(existsSync(keys)).toBe(true)
})

const hasScript = spawnSync('script', ['--version']).status === 0

it.skipIf(!hasScript)('on a terminal it shows how far it is, on standard error alone', async () => {
  const folder = temporaryFolder()
  const url = `https://127.0.0.1:${await reservePort()}/hook`
  const run = `"${process.execPath}" "${MAIN}" conformance ${url} --json --laboratory ${folder}/keys > ${folder}/out`
  const { stdout } = spawnSync('script', ['-qec', run, '/dev/null'], { encoding: 'utf8' })
  expect(stdout).toMatch(/^fail notification, \d+ left\r\n(skip [a-z0-9-]+, \d+ left\r\n)+$/)
  expect(stdout).toMatch(/, 0 left\r\n$/)
  expect(JSON.parse(readFileSync(join(folder, 'out'), 'utf8'))).toMatchObject({ ok: false, url })
})

it('the keys are in the state folder of the user, and a run finds them there', async () => {
  const folder = temporaryFolder()
  const env = { PATH: process.env.PATH, XDG_STATE_HOME: join(folder, 'state') }
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [MAIN, 'conformance', ...args], { env, encoding: 'utf8' }).status
  const url = `https://127.0.0.1:${await reservePort()}/hook`
  expect([run('chain', '--folder', join(folder, 'chains')), run(url)]).toEqual([0, 1])
  expect(statSync(join(folder, 'state/portaria/conformance')).mode & 0o777).toBe(0o700)
})
