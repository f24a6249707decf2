import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import {
  findMistakes,
  loadChargeToken,
  loadWithoutSecrets,
  loadWithServiceSecrets,
} from '../../src/config/load-config.ts'
import { directory, load, minimum, minimumWith, mistakes } from './files.ts'

afterEach(() => void vi.unstubAllEnvs())

const SECRET = 'Client_Secret_1234'
const FILES = { secret: SECRET }

const entry = {
  environment: 'production',
  baseAddresses: { charges: 'https://charges.service.example' },
  clientId: 'Client_Id_1234',
  clientSecret: 'secret',
}
const pair = { certificate: 'own.crt', privateKey: 'own.key' }

function withEntry(changes: object): object {
  return { ...minimum(), service: [{ ...entry, ...changes }] }
}

test('an entry with its defaults', () => {
  const config = load(withEntry({}), FILES)
  const folder = join(config.file, '..')
  expect(config.service).toEqual([
    {
      environment: 'production',
      baseAddresses: {
        account: null,
        payment: null,
        registration: null,
        openBanking: null,
        charges: 'https://charges.service.example',
      },
      clientId: 'Client_Id_1234',
      clientSecret: SECRET,
      clientSecretFile: join(folder, 'secret'),
      certificate: null,
      authorities: null,
      dailyBudgets: { notifications: 30_000, payment: 10_000, registration: 2_000, charges: 10_000 },
      resolveTokens: true,
      resolveWithinMs: 6 * 3_600_000,
      reconcile: {
        payments: null,
        openings: null,
        charges: 'charge',
        statement: null,
        everyMs: 6 * 3_600_000,
        readCredentials: false,
        silentAfterMs: null,
        giveUpAfterMs: 30 * 86_400_000,
        retries: 'short',
      },
    },
  ])
  expect(load(minimum()).service).toEqual([])
})

test('tokens are resolved only where the charges interface has an address, and unless it is switched off', () => {
  const registration = { baseAddresses: { registration: 'https://r.example' }, ...pair }
  expect(load(withEntry(registration), FILES).service[0]?.resolveTokens).toBe(false)
  expect(load(withEntry({ resolveTokens: false }), FILES).service[0]?.resolveTokens).toBe(false)
  expect(mistakes(withEntry({ ...registration, resolveTokens: true }), FILES)).toEqual([
    'service[0].resolveTokens: needs baseAddresses.charges, where the entries of a token are asked for',
  ])
})

test('the certificate is a PEM pair, or a .p12 file with an optional password file; paths begin at the file', () => {
  const files = (changes: object) => {
    const config = load(withEntry(changes), FILES)
    const folder = join(config.file, '..')
    return JSON.parse(JSON.stringify(config.service[0]?.certificate ?? null).replaceAll(`${folder}/`, ''))
  }
  expect(files(pair)).toEqual(pair)
  expect(files({ certificate: 'own.p12' })).toEqual({ pkcs12: 'own.p12', passwordFile: null })
  expect(files({ certificate: 'own.PFX', passwordFile: 'word' })).toEqual({ pkcs12: 'own.PFX', passwordFile: 'word' })
})

test.each([
  [
    { certificate: 'own.crt' },
    'privateKey: is missing: name the file with the private key, which may be the same file; a PKCS#12 file needs none, and must end in .p12 or .pfx',
  ],
  [{ privateKey: 'own.key' }, 'certificate: is missing: write the path of the certificate of this private key'],
  [{ passwordFile: 'word' }, 'certificate: is missing: write the path of the .p12 file of this password'],
  [
    { certificate: 'own.p12', privateKey: 'own.key' },
    'privateKey: contradicts the .p12 file, which holds the private key: remove it',
  ],
  [
    { ...pair, passwordFile: 'word' },
    'passwordFile: is for a .p12 file: remove it, or name a certificate file that ends in .p12 or .pfx',
  ],
  [
    { baseAddresses: { charges: 'https://c.example', payment: 'https://p.example' } },
    'certificate: is missing: the interface payment asks for a client certificate',
  ],
  [
    { baseAddresses: {} },
    'baseAddresses: names no interface: write the address of at least one of account, payment, registration, openBanking, charges',
  ],
  [{ baseAddresses: undefined }, 'baseAddresses: is missing'],
  [{ clientId: 'a:b' }, 'clientId: must be the client id as the service issued it: without spaces and colons'],
  [{ resolveTokens: 'yes' }, 'resolveTokens: must be true or false'],
  [{ resolveWithin: '31d' }, 'resolveWithin: must be from 1s to 30d'],
  [
    { dailyBudgets: { notifications: 0 } },
    'dailyBudgets.notifications: must be a whole number from 1 to 100000000, or unlimited',
  ],
  [
    { dailyBudgets: { payment: 0.5, registration: 'unlimited', charges: 1 } },
    'dailyBudgets.payment: must be a whole number from 1 to 100000000, or unlimited',
  ],
  [{ dailyBudget: {} }, 'dailyBudget: unknown key; did you mean "dailyBudgets"?'],
  [
    { baseAddresses: { charge: 'https://c.example', charges: 'https://c.example' } },
    'baseAddresses.charge: unknown key; did you mean "charges"?',
  ],
])('%j is a mistake', (changes, problem) => {
  expect(mistakes(withEntry(changes), FILES)).toEqual([`service[0].${problem}`])
})

test('an environment has one entry, under any of its names', () => {
  expect(mistakes({ ...minimum(), service: [entry, { ...entry, environment: 'producao' }] }, FILES)).toEqual([
    'service[1].environment: is the environment of an entry above: write one entry for each environment',
  ])
  expect(load({ ...minimum(), service: [entry, { ...entry, environment: 'sandbox' }] }, FILES).service).toHaveLength(2)
})

test.each([
  ['https://API.Service.Example', 'https://api.service.example'],
  ['https://service.example:443/charges//', 'https://service.example/charges'],
  ['https://127.0.0.1:9443/charges/', 'https://127.0.0.1:9443/charges'],
])('the base address %s is read as %s', (written, expected) => {
  expect(load(withEntry({ baseAddresses: { charges: written } }), FILES).service[0]?.baseAddresses.charges).toBe(
    expected,
  )
})

test.each([
  ['http://service.example', 'must begin with https://, such as https://api.service.example'],
  ['service.example', 'must be an address such as https://api.service.example'],
  ['https://a b', 'must be an address such as https://api.service.example'],
  ...['https://service.example/?a=b', 'https://service.example/#a', 'https://a:b@service.example'].map((one) => [
    one,
    'must be only the beginning of an address, such as https://api.service.example, without a query, a fragment and credentials',
  ]),
])('the base address %s is a mistake', (written, problem) => {
  expect(mistakes(withEntry({ baseAddresses: { charges: written } }), FILES)).toEqual([
    `service[0].baseAddresses.charges: ${problem}`,
  ])
})

test('publicUrl of callbacks is https; charge notifications may come over http', () => {
  const charges = { host: '127.0.0.1', port: 1, tokens: [{ environment: 'sandbox', tokenFile: 'token' }] }
  const with_ = (ofCallbacks: string, ofCharges: string) => ({
    ...(minimumWith('callbacks.publicUrl', ofCallbacks) as object),
    chargeNotifications: { ...charges, publicUrl: ofCharges },
  })
  const files = { token: 'ab'.repeat(16) }
  const config = load(with_('https://Hooks.example/gateway/', 'http://hooks.example:8080'), files)
  expect(config.callbacks.publicUrl).toBe('https://hooks.example/gateway')
  expect(config.chargeNotifications?.publicUrl).toBe('http://hooks.example:8080')
  expect(mistakes(with_('http://hooks.example', 'ftp://hooks.example'), files)).toEqual([
    'callbacks.publicUrl: must begin with https://, such as https://hooks.example.com',
    'chargeNotifications.publicUrl: must begin with https:// or http://, such as https://hooks.example.com:8444',
  ])
})

test.each(['', 'two\nlines'])('a file with the client secret %j is a mistake that does not quote it', (content) => {
  const file = join(directory({ 'portaria.yaml': stringify(withEntry({})), secret: content }), 'portaria.yaml')
  const found = findMistakes(file).mistakes.map((mistake) => mistake.replace(/ \(line \d+\)/, ''))
  expect(found).toEqual([
    'service[0].clientSecret: its file must hold the client secret that the service issued, in one line without spaces',
  ])
})

test('the gateway starts without a client secret that cannot be used, or whose credential is missing', () => {
  vi.stubEnv('CREDENTIALS_DIRECTORY', directory())
  const credential = { clientSecret: 'credential:secret', certificate: 'credential:account.p12' }
  for (const changes of [{}, credential]) expect(load(withEntry(changes)).service[0]?.clientSecret).toBe('')
  expect(load(withEntry({}), { secret: 'two\nlines' }).service[0]?.clientSecret).toBe('')
})

test('a command reads the client secrets of the service without any other secret', () => {
  vi.stubEnv('CREDENTIALS_DIRECTORY', directory({ 'service-secret': SECRET }))
  const destination = { name: 'app', url: 'https://app.example/', secretFile: 'credential:missing' }
  const text = stringify({
    ...(minimumWith('callbacks.privateKey', 'credential:missing-key') as object),
    destinations: [destination],
    service: [{ ...entry, clientSecret: 'credential:service-secret' }],
  })
  const file = join(directory({ 'portaria.yaml': text }), 'portaria.yaml')
  expect(loadWithServiceSecrets(file).service[0]?.clientSecret).toBe(SECRET)
  expect(loadWithServiceSecrets(file).destinations[0]).not.toHaveProperty('secrets')
  expect(loadWithoutSecrets(file).service[0]).not.toHaveProperty('clientSecret')
})

test('a client secret that cannot be read stops commands that need it, and no other', () => {
  const file = join(directory({ 'portaria.yaml': stringify(withEntry({})) }), 'portaria.yaml')
  expect(() => loadWithServiceSecrets(file)).toThrow(expect.objectContaining({ code: 'configuration_invalid' }))
  expect(loadWithoutSecrets(file).service).toHaveLength(1)
  expect(findMistakes(file).mistakes).toEqual([
    expect.stringMatching(/^service\[0\]\.clientSecret .*names a file that cannot be read: it does not exist/),
  ])
})

test('new notification URLs get the last charge token of their environment', () => {
  const tokens = ['sandbox', 'sandbox', 'production'].map((environment, index) => {
    return { environment, tokenFile: `token-${index}` }
  })
  const files = Object.fromEntries(tokens.map(({ tokenFile }, index) => [tokenFile, `${index}`.repeat(32)]))
  const text = stringify({ ...minimum(), chargeNotifications: { host: '127.0.0.1', port: 1, tokens } })
  const file = join(directory({ ...files, 'portaria.yaml': text }), 'portaria.yaml')
  expect(loadChargeToken(file, 'sandbox')).toBe('1'.repeat(32))
  expect(loadChargeToken(file, 'production')).toBe('2'.repeat(32))
})
