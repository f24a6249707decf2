import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { keysThatNeedRestart } from '../../src/config/changed-keys.ts'
import { load, minimum, minimumWith } from './files.ts'

function changed(path: string, value: unknown): string[] {
  return keysThatNeedRestart(load(minimum()), load(minimumWith(path, value)))
}

const CHARGES = {
  host: '127.0.0.1',
  port: 8081,
  tokens: [{ environment: 'sandbox', tokenFile: 'token' }],
}
const TLS = { certificate: 'a.crt', privateKey: 'a.key' }

const FILES = { token: 'ab'.repeat(32), 'ca.pem': rootCertificates[0] ?? '' }

function between(section: string, before: object, after: object | undefined): string[] {
  return keysThatNeedRestart(load(minimumWith(section, before), FILES), load(minimumWith(section, after), FILES))
}

test.each([
  ['callbacks.port', 8444, ['callbacks.port']],
  ['callbacks.limits', { body: '2MiB' }, ['callbacks.limits']],
  ['callbacks.proxyProtocol', ['192.0.2.10'], ['callbacks.proxyProtocol']],
  ['callbacks.kinds.payment.accounts', { allow: [{ pointers: ['/chave'], values: ['777'] }] }, ['callbacks.kinds']],
  ['storage.url', 'sqlite:other.db', ['storage.url']],
  ['storage', { url: 'postgres://p@db/p' }, ['storage.url']],
  ['node', { name: 'other', folder: '/other' }, ['node.name', 'node.folder']],
  ['storage.deduplicationWindow', '10d', ['storage.deduplicationWindow']],
  ['storage.retention', { metadata: '500d' }, ['storage.retention']],
  ['storage.minFreeSpace', '3%', ['storage.minFreeSpace']],
  ['forwarding', { maxAge: '10d' }, ['forwarding.maxAge']],
  ['log', { level: 'debug' }, ['log.level']],
  ['api', { port: 9999 }, ['api.port']],
  ['api.pagesIdleEnd', '20m', ['api.pagesIdleEnd']],
  ['mode', 'development', ['mode']],
])('a changed %s needs a restart, and is named as it is written', (path, value, keys) => {
  expect(changed(path, value)).toEqual(keys)
})

test.each([
  ['callbacks.certificate', '../certs/other.crt'],
  ['callbacks.trust.0.chain', '../certs/trust/other.pem'],
  ['destinations', [{ name: 'books', url: 'https://books.example/' }]],
  ['forwarding', { allowedNetworks: ['loopback'] }],
  ['callbacks.publicUrl', 'https://hooks.example.com'],
  ['api.publicUrl', 'https://portaria.example.com'],
  ['alarms', { group: '1m' }],
])('a changed %s is taken up while running', (path, value) => {
  expect(changed(path, value)).toEqual([])
})

test("an institution's keys are named with it", () => {
  const bank = (name: string, changes: object = {}) => ({
    name,
    trust: [{ environment: 'production', chain: `../certs/trust/${name}.pem` }],
    kinds: { pix: { path: `/${name}/pix` } },
    ...changes,
  })
  const of = (...institutions: object[]) => load({ ...minimum(), institutions })
  const keys = (...institutions: object[]) =>
    keysThatNeedRestart(of(bank('bank-a'), bank('bank-b')), of(...institutions))
  const kinds = { pix: { path: '/bank-b/other' } }
  expect(keys(bank('bank-a'), bank('bank-b', { kinds }))).toEqual(['institutions.bank-b.kinds'])
  expect(keys(bank('bank-a', { suffixes: ['/pix'] }), bank('bank-b'))).toEqual(['institutions.bank-a.suffixes'])
  expect(keys(bank('bank-a'))).toEqual(['institutions.bank-b'])
})

test('the files of PostgreSQL are named, each by its key', () => {
  const database = { url: 'postgres://p@db/p' }
  expect(between('storage', database, { ...database, passwordFile: 'token', authorities: 'ca.pem' })).toEqual([
    'storage.passwordFile',
    'storage.authorities',
  ])
})

test.each([
  ['api', { port: 8080 }, { port: 8080, ...TLS }, ['api.certificate', 'api.privateKey']],
  ['api', TLS, { ...TLS, certificate: 'b.crt' }, []],
  ['api', TLS, { ...TLS, clientCa: 'a.pem' }, ['api.clientCa']],
  ['api', { ...TLS, clientCa: 'a.pem' }, { ...TLS, clientCa: 'b.pem' }, []],
  ['chargeNotifications', CHARGES, undefined, ['chargeNotifications']],
  ['chargeNotifications', CHARGES, { ...CHARGES, publicUrl: 'https://b.example' }, []],
  [
    'chargeNotifications',
    CHARGES,
    { ...CHARGES, ...TLS },
    ['certificate', 'privateKey'].map((key) => `chargeNotifications.${key}`),
  ],
])(
  'TLS, and what clients are asked for, comes and goes only with a restart; its files are exchanged without one (%s)',
  (section, before, after, keys) => {
    expect(between(section, before, after)).toEqual(keys)
  },
)
