import { expect, test } from 'vitest'
import { keysThatNeedRestart } from '../../src/config/changed-keys.ts'
import { load, minimum, minimumWith } from './files.ts'

function changed(path: string, value: unknown): string[] {
  return keysThatNeedRestart(load(minimum()), load(minimumWith(path, value))).filter((key) => key !== 'file')
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
    keysThatNeedRestart(of(bank('bank-a'), bank('bank-b')), of(...institutions)).filter((key) => key !== 'file')
  const kinds = { pix: { path: '/bank-b/other' } }
  expect(keys(bank('bank-a'), bank('bank-b', { kinds }))).toEqual(['institutions.bank-b.kinds'])
  expect(keys(bank('bank-a', { suffixes: ['/pix'] }), bank('bank-b'))).toEqual(['institutions.bank-a.suffixes'])
  expect(keys(bank('bank-a'))).toEqual(['institutions.bank-b'])
})

test('the files of PostgreSQL are named, each by its key', () => {
  const before = load(minimumWith('storage.url', 'postgres://p@db/p'))
  const database = { url: 'postgres://p@db/p', passwordFile: '/password', authorities: '/ca.pem' }
  expect(keysThatNeedRestart(before, { ...before, storage: { ...before.storage, database } })).toEqual([
    'storage.passwordFile',
    'storage.authorities',
  ])
})

test('TLS of a listener comes and goes only with a restart; its certificate is exchanged without one', () => {
  const before = load(minimum())
  const tls = { certificate: '/a.crt', privateKey: '/a.key' }
  const withTls = { ...before, api: { ...before.api, tls } }
  const renewed = { ...before, api: { ...before.api, tls: { ...tls, certificate: '/b.crt' } } }
  expect(keysThatNeedRestart(before, withTls)).toEqual(['api.tls'])
  expect(keysThatNeedRestart(withTls, renewed)).toEqual([])
})

test('certificates of clients are asked for, or not any more, only with a restart; whose is taken up without one', () => {
  const before = load(minimum())
  const asking = { ...before, api: { ...before.api, clientCa: '/a.pem' } }
  const other = { ...before, api: { ...before.api, clientCa: '/b.pem' } }
  expect(keysThatNeedRestart(before, asking)).toEqual(['api.clientCa'])
  expect(keysThatNeedRestart(asking, other)).toEqual([])
})

test('a section that comes or goes is named whole', () => {
  const charges = { host: '127.0.0.1', port: 8081, tokens: [] }
  const before = load(minimum())
  expect(keysThatNeedRestart(before, { ...before, chargeNotifications: charges as never })).toEqual([
    'chargeNotifications',
  ])
  expect(keysThatNeedRestart(before, before)).toEqual([])
  const [one, other] = ['https://a.example', 'https://b.example'].map((publicUrl) => ({
    ...before,
    chargeNotifications: { ...charges, publicUrl } as never,
  }))
  expect(keysThatNeedRestart(one as never, other as never)).toEqual([])
})
