import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { operatorToken } from '../../src/api/auth/operator-token.ts'
import { makeDevelopmentCertificates } from '../../src/certificates/development/development.ts'
import { readBundle } from '../../src/certificates/files/bundle.ts'
import { loadClientCertificate } from '../../src/certificates/live/client-certificate.ts'
import { loadServerCertificate } from '../../src/certificates/live/server-certificate.ts'
import { loadServiceFiles, type ServiceFilePaths } from '../../src/certificates/live/service-files.ts'
import { loadClientTrust } from '../../src/certificates/trust/client-trust.ts'
import { readRevocationLists } from '../../src/certificates/trust/revocation-list.ts'
import { loadTrust } from '../../src/certificates/trust/trust.ts'
import { readAuthorities, readCaller } from '../../src/cli/caller-files.ts'
import { configFile, findMistakes, loadConfig } from '../../src/config/load-config.ts'
import { minimumWith } from '../config/files.ts'
import { TestBrowser } from '../pages/browser.ts'
import { BREAKAGES, piecesOf } from '../support/broken-keys.ts'
import { callApi } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { portaria } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-quoted-'))
const at = (name: string) => join(folder, name)
const now = new Date()
let key: string
let pieces: string[]

beforeAll(async () => {
  await makeDevelopmentCertificates(folder)
  key = readFileSync(at('service/sandbox-client.key'), 'utf8')
  pieces = piecesOf(key)
})
afterAll(() => rmSync(folder, { recursive: true }))

const service = (certificate: ServiceFilePaths['certificate'], authorities: string | null = null) =>
  loadServiceFiles({ environment: 'sandbox', certificate, authorities })
const configured = (path: string, value: unknown) => {
  writeFileSync(at('portaria.yaml'), stringify(minimumWith(path, value)))
  return [() => loadConfig(at('portaria.yaml')), () => findMistakes(at('portaria.yaml'))]
}
const destination = (file: Record<string, string>) => [{ name: 'a', url: 'https://app.example/', ...file }]

/** Every way in which a file is read; each returns a text, or throws. */
const READERS: Record<string, (file: string, content: string) => unknown> = {
  'certs import, show, export': (file) => readBundle(file, async () => 'password').then(() => ''),
  'a certificate of a listener': (file) =>
    loadServerCertificate({ certificate: file, privateKey: at('server.key') }, now).warnings,
  'a key of a listener': (file) =>
    loadServerCertificate({ certificate: at('server.crt'), privateKey: file }, now).warnings,
  'the certificate for destinations': (file) =>
    loadClientCertificate({ certificate: file, privateKey: file }, now).problem(now),
  'a chain': (file) => loadTrust([{ environment: 'production', chain: file }], now).warnings,
  'a revocation list': (file) => readRevocationLists(file).length,
  'a revocation list of a chain': (file) =>
    loadTrust([{ environment: 'production', chain: at('trust/production.pem'), crl: [file] }], now).warnings,
  'authorities of clients': (file) => loadClientTrust({ clientCa: file }, now).warnings,
  'the certificate of the service': (file) =>
    service({ certificate: file, privateKey: at('server.key') }).certificate?.problem(0),
  'the key of the service': (file) =>
    service({ certificate: at('server.crt'), privateKey: file }).certificate?.problem(0),
  'the .p12 of the service': (file) => service({ pkcs12: file, passwordFile: null }).certificate?.problem(0),
  'the password of the service': (file) =>
    service({ pkcs12: at('server.crt'), passwordFile: file }).certificate?.problem(0),
  'the authorities of the service': (file) => service(null, file).authoritiesProblem,
  "the operator's token": (file) => void operatorToken(file, false),
  'the configuration': (file) => [() => loadConfig(configFile(file, {})), () => findMistakes(file)],
  'a value of the configuration': (_, content) => configured('callbacks.privateKey', content),
  'a network of the configuration': (_, content) => configured('forwarding.allowedNetworks', [content]),
  'a key of the configuration': (_, content) => configured('forwarding', { [content]: 1 }),
  'a header of a destination': (_, content) =>
    configured('destinations', [{ ...destination({ secret: content })[0], headers: { [content]: content } }]),
  'a secret file': (file) => configured('destinations', destination({ secretFile: file })),
  'the authorities of a destination': (file) => configured('destinations', destination({ ca: file })),
  'a token of charges': (file) =>
    configured('chargeNotifications', {
      host: '127.0.0.1',
      port: 1,
      tokens: [{ environment: 'sandbox', tokenFile: file }],
    }),
  'the secret of the service': (file) =>
    configured('service', [{ environment: 'sandbox', clientId: 'x', clientSecret: file }]),
  '--cert and --key of probe': (file) => void readCaller(file, file),
  '--ca of probe': (file) => void readAuthorities(file),
}

/** What is said about the file: the error with its causes and members, or the problem. */
async function textsOf(read: () => unknown): Promise<string> {
  try {
    const result = await read()
    if (!Array.isArray(result)) return String(result)
    const texts = await Promise.all(
      result.map((one) => (typeof one === 'function' ? textsOf(one as () => unknown) : String(one))),
    )
    return texts.join('\n')
  } catch (error) {
    return inspect(error, { depth: Number.POSITIVE_INFINITY, maxStringLength: Number.POSITIVE_INFINITY })
  }
}

it.each(Object.entries(BREAKAGES))(
  'a private key, %s, is quoted by no text, wherever its file is named',
  async (_, spoil) => {
    const content = spoil(key)
    const file = at('spoiled')
    writeFileSync(file, content)
    for (const [where, read] of Object.entries(READERS)) {
      const text = await textsOf(() => read(file, content.toString('latin1')))
      expect([where, pieces.filter((piece) => text.includes(piece))]).toEqual([where, []])
    }
  },
)

it('most of these are refused, so that there are texts to search', async () => {
  writeFileSync(at('spoiled'), key.slice(1).replaceAll('\n', ' '))
  const texts = await Promise.all(Object.values(READERS).map((read) => textsOf(() => read(at('spoiled'), key))))
  expect(
    texts.filter((text) => text.includes('PortariaError') || text.includes('cannot be used')).length,
  ).toBeGreaterThan(15)
})

const SPOILED = ['with \\n as two characters', 'one dash lost in front, on one line', 'a value in YAML']

it.each(SPOILED)(
  'a key, %s, in the place of every file: nothing that the gateway and its commands say holds a part of it',
  async (how) => {
    const charges = { host: '127.0.0.1', port: 0, certificate: 'certs/charges.crt', privateKey: 'certs/charges.key' }
    const site = await createSite()
    cpSync(join(site.certs, 'server.crt'), join(site.certs, 'charges.crt'))
    cpSync(join(site.certs, 'server.key'), join(site.certs, 'charges.key'))
    writeFileSync(join(site.folder, 'token'), 'f'.repeat(32))
    const account = {
      environment: 'sandbox',
      clientId: 'x',
      clientSecret: 'secret',
      certificate: 'account.p12',
      passwordFile: 'password',
    }
    writeFileSync(join(site.folder, 'secret'), 'secret')
    const written = parse(readFileSync(site.configFile, 'utf8')) as Record<string, unknown>
    const tokens = [{ environment: 'sandbox', tokenFile: 'token' }]
    const baseAddresses = { charges: 'https://127.0.0.1:1' }
    writeFileSync(
      site.configFile,
      stringify({ ...written, chargeNotifications: { ...charges, tokens }, service: [{ ...account, baseAddresses }] }),
    )
    const gateway = await startTestGateway(site)
    const config = loadConfig(site.configFile)
    const content = BREAKAGES[how]?.(key) ?? ''
    const names = [
      'certs/server.crt',
      'certs/server.key',
      'certs/charges.crt',
      'certs/charges.key',
      'certs/trust/production.pem',
      'certs/trust/sandbox.pem',
      'account.p12',
      'password',
      'secret',
      'token',
      'operator-token',
    ]
    for (const name of names) writeFileSync(join(site.folder, name), content)
    const spoiled = join(site.folder, 'certs/server.key')
    const said: string[] = [await textsOf(() => gateway.reload(config))]
    for (const path of ['/v1/certificates', '/v1/service', '/v1/gateway', '/metrics', '/readyz']) {
      const answer = await callApi(gateway.api, path)
      said.push(JSON.stringify(answer))
    }
    const browser = new TestBrowser(gateway)
    await browser.signIn()
    for (const page of ['/ui/', '/ui/certificates', '/ui/check']) said.push((await browser.get(page)).body)
    const commands = [
      ['check', '--offline', '--json'],
      ['config', 'check'],
      ['config', 'check', '--config', spoiled],
      ['certs', 'check', '--json'],
      ['certs', 'trust', 'list'],
      ['certs', 'trust', 'stage', spoiled, '--environment', 'sandbox'],
      ['certs', 'import', spoiled, '--dry-run', '--incomplete'],
      ['certs', 'show', spoiled],
      ['certs', 'csr', '--name', 'a.example', '--key', spoiled, '--out', spoiled],
      ['serve'],
    ]
    for (const command of commands) {
      const { stdout, stderr } = await portaria(site, ...command)
      said.push(`${command.join(' ')}: ${stdout} ${stderr}`)
    }
    said.push(JSON.stringify(gateway.lines))
    expect(said.join('\n')).toContain('certificate.not_renewed')
    for (const text of said)
      expect([text.slice(0, 200), pieces.filter((piece) => text.includes(piece))]).toEqual([text.slice(0, 200), []])
  },
  480_000,
)
