import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { nameOfDatabase } from '../../src/platform/postgres/postgres-address.ts'
import { databaseFile } from '../support/store.ts'
import { load, minimum, minimumWith, mistakes } from './files.ts'

describe('durations', () => {
  test.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['2m', 120_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
  ])('%s is read', (text, ms) => {
    expect(load(minimumWith('forwarding.schedule', [text])).forwarding.schedule).toEqual([ms])
  })

  test.each([0, '0', '0s'])('0 needs no unit: %j', (value) => {
    expect(load(minimumWith('forwarding.retryAfterLimit', value)).forwarding.retryAfterLimitMs).toBe(0)
  })

  test.each([10, '10'])('A plain number is refused with a hint: %j', (value) => {
    expect(mistakes(minimumWith('forwarding.timeout', value))).toEqual([
      'forwarding.timeout: has no unit: write for example "10s" for seconds or "10ms" for milliseconds',
    ])
  })

  test.each(['10 s', '10S', '1.5h', '-1s', 's', '10sec', true, [1], {}])('%j is refused', (value) => {
    expect(mistakes(minimumWith('forwarding.maxAge', value))).toEqual([
      'forwarding.maxAge: must be a duration such as 500ms, 10s, 2m, 12h or 30d',
    ])
  })

  test.each([0, '2h'])('A timeout of %j is refused', (value) => {
    expect(mistakes(minimumWith('callbacks.limits.requestTimeout', value))).toContain(
      'callbacks.limits.requestTimeout: must be from 1ms to 1h',
    )
  })
})

describe('sizes', () => {
  test.each([
    ['512B', 512],
    ['16KiB', 16_384],
    ['2MiB', 2_097_152],
  ])('%s is read', (text, bytes) => {
    expect(load(minimumWith('callbacks.limits.body', text)).callbacks.limits.bodyBytes).toBe(bytes)
  })

  test.each([
    [1024, 'has no unit: write for example "1024B" for bytes or "1024KiB" for 1024 bytes each'],
    ['16KB', 'must be a size such as 512B, 16KiB, 1MiB or 1GiB'],
    ['1GiB', 'must be from 1B to 256MiB'],
    ['0B', 'must be from 1B to 256MiB'],
  ])('%j is refused', (value, expected) => {
    expect(mistakes(minimumWith('callbacks.limits.body', value))).toEqual([`callbacks.limits.body: ${expected}`])
  })
})

describe('the reserve', () => {
  test.each([
    ['2%', { share: 0.02 }],
    ['0.5%', { share: 0.005 }],
    ['64MiB', { bytes: 67_108_864 }],
    ['1MiB', { bytes: 1_048_576 }],
  ])('%s is read', (text, expected) => {
    expect(load(minimumWith('storage.minFreeSpace', text)).storage.minFreeSpace).toEqual(expected)
  })

  test.each([
    [2, 'has no unit: write for example "2%" or "2MiB"'],
    ['2 %', 'must be a percentage such as 2%, or a size such as 64MiB'],
    ['2MB', 'must be a percentage such as 2%, or a size such as 64MiB'],
    ['512KiB', 'must be a size from 1MiB, or a percentage up to 50%'],
    ['0%', 'must be a size from 1MiB, or a percentage up to 50%'],
    ['51%', 'must be a size from 1MiB, or a percentage up to 50%'],
  ])('%j is refused', (value, expected) => {
    expect(mistakes(minimumWith('storage.minFreeSpace', value))).toEqual([`storage.minFreeSpace: ${expected}`])
  })
})

interface Accepted {
  readonly path: string
  readonly value: unknown
  readonly read: (config: Config) => unknown
  readonly expected?: unknown
}

test.each<Accepted>([
  { path: 'mode', value: 'development', read: (config) => config.mode },
  { path: 'callbacks.port', value: 0, read: (config) => config.callbacks.port },
  { path: 'callbacks.host', value: '::', read: (config) => config.callbacks.host },
  { path: 'callbacks.host', value: 'gateway.example', read: (config) => config.callbacks.host },
  { path: 'callbacks.certificate', value: '/etc/a.crt', read: (config) => config.callbacks.certificate },
  { path: 'callbacks.suffixes', value: [], read: (config) => config.callbacks.suffixes },
  { path: 'callbacks.limits.maxConnections', value: 10, read: (config) => config.callbacks.limits.maxConnections },
  { path: 'api.host', value: 'localhost', read: (config) => config.api.host },
  { path: 'api.host', value: '127.8.9.1', read: (config) => config.api.host },
  { path: 'api.host', value: '::1', read: (config) => config.api.host },
  {
    path: 'api.publicUrl',
    value: 'https://Portaria.example/',
    read: (config) => config.api.publicUrl,
    expected: 'https://portaria.example',
  },
  { path: 'api.hostNames', value: ['portaria.example', '10.0.0.5'], read: (config) => config.api.hostNames },
  { path: 'api.operatorTokenFile', value: '/run/token', read: (config) => config.api.operatorTokenFile },
  { path: 'storage.url', value: 'sqlite:/var/p.db', read: (config) => databaseFile(config), expected: '/var/p.db' },
  { path: 'storage.queue.events', value: 5, read: (config) => config.storage.queue.events },
  {
    path: 'storage.deduplicationWindow',
    value: '1d',
    read: (c) => c.storage.deduplicationWindowMs,
    expected: 86_400_000,
  },
  { path: 'forwarding.jitter', value: 0, read: (config) => config.forwarding.jitter },
  { path: 'forwarding.jitter', value: '20%', read: (config) => config.forwarding.jitter, expected: 0.2 },
  {
    path: 'forwarding.allowedNetworks',
    value: ['10.0.0.0/8', 'fd00::/8', '10.1.2.3', 'loopback'],
    read: (c) => c.forwarding.allowedNetworks,
  },
  { path: 'log.level', value: 'silent', read: (config) => config.log.level },
])('$path may be $value', ({ path, value, read, expected = value }) => {
  expect(read(load(minimumWith(path, value)))).toEqual(expected)
})

test.each([
  ['mode', 'produktion', 'must be one of production, development; did you mean "production"?'],
  ['callbacks.port', 65_536, 'must be a whole number from 0 to 65535'],
  ['callbacks.port', '8443', 'must be a whole number from 0 to 65535'],
  ['callbacks.port', 1.5, 'must be a whole number from 0 to 65535'],
  ['callbacks.host', '[::1]', 'must be an address without brackets, such as ::1'],
  ['callbacks.host', 'https://x', 'must be an address such as 127.0.0.1 or ::1, or a host name'],
  ['callbacks.host', '', 'is empty: write an address or a host name, such as 127.0.0.1'],
  [
    'callbacks.certificate',
    5,
    "must be text (in quotes where YAML reads it otherwise): the path of this server's certificate, PEM with its full chain",
  ],
  ['callbacks.suffixes', '/pix', 'must be a list: write its entries in [ ], or one a line, each behind "- "'],
  ['callbacks.limits', 'none', 'must be a group of keys, each with a value'],
  ['callbacks.limits.headersTimeout', '21s', 'must not be longer than requestTimeout, which includes it'],
  ['callbacks.limits.maxConnections', 0, 'must be a whole number from 1 to 1000000'],
  ['storage.queue.bytes', '1023KiB', 'must not be less than callbacks.limits.body'],
  ['forwarding.jitter', 1.1, 'must be a number from 0 to 1, or a percentage such as 20%'],
  ['forwarding.jitter', '101%', 'must be a number from 0 to 1, or a percentage such as 20%'],
  ['forwarding.catchUpRate', 0, 'must be a whole number from 1 to 100000, or unlimited'],
  ['forwarding.schedule', [], 'must hold at least one step: `[0s]` tries once'],
  ['log.level', 'warning', 'must be one of trace, debug, info, warn, error, silent; did you mean "warn"?'],
])('%s may not be %j', (path, value, problem) => {
  expect(mistakes(minimumWith(path, value))).toEqual([`${path}: ${problem}`])
})

test.each(['https://x', 'portaria.example:8080', '*.example'])('The name %s of the API is refused', (name) => {
  expect(mistakes(minimumWith('api.hostNames', ['portaria.example', name]))).toEqual([
    'api.hostNames[1]: must be an address such as 127.0.0.1 or ::1, or a host name',
  ])
})

test.each([
  ['10.0.0.0/33', '"10.0.0.0/33" is not a network: write it like 10.0.0.0/8, fd00::/8, 192.0.2.7 or loopback'],
  ['10.0.0.1/8', '"10.0.0.1/8" is not the start of its network: write 10.0.0.0/8, or 10.0.0.1 alone'],
  ['intranet', 'the text is not a network: write it like 10.0.0.0/8, fd00::/8, 192.0.2.7 or loopback'],
])('The network %s is refused', (value, problem) => {
  expect(mistakes(minimumWith('forwarding.allowedNetworks', ['::1', value]))).toEqual([
    `forwarding.allowedNetworks[1]: ${problem}`,
  ])
})

describe('storage', () => {
  test.each([
    ['postgres://portaria@db.example:5433/portaria', 'postgres://db.example:5433/portaria'],
    ['postgresql://portaria@10.0.0.5/portaria', 'postgres://10.0.0.5/portaria'],
    ['postgres://p%40b@[fd00::5]:5432/portaria', 'postgres://[fd00::5]/portaria'],
    ['postgres://portaria@/portaria?host=/run/postgresql', 'postgres:///portaria?host=/run/postgresql'],
    ['postgres://portaria@:5433/portaria?host=%2Frun%2Fpostgresql', 'postgres://:5433/portaria?host=/run/postgresql'],
  ])('%s names a database of PostgreSQL', (url, name) => {
    const { database } = load(minimumWith('storage.url', url)).storage
    expect(database).toEqual({ url, passwordFile: null, authorities: null })
    expect(nameOfDatabase(database)).toBe(name)
  })

  test('Its password and its authorities are files', () => {
    const url = 'postgres://portaria@db/portaria'
    const storage = { url, passwordFile: 'password', authorities: 'ca.pem' }
    const config = load(minimumWith('storage', storage), { password: 'secret\n', 'ca.pem': rootCertificates[0] ?? '' })
    const at = (name: string) => join(dirname(config.file), name)
    expect(config.storage.database).toEqual({ url, passwordFile: at('password'), authorities: at('ca.pem') })
    expect(mistakes(minimumWith('storage', storage), { password: '\n', 'ca.pem': 'hunter2' })).toEqual([
      'storage.passwordFile: its file must hold the password, and is empty',
      expect.stringMatching(/^storage\.authorities: its file must /),
    ])
    expect(mistakes(minimumWith('storage', storage))).toEqual([
      expect.stringMatching(/^storage\.passwordFile: names a file that cannot be read: it does not exist/),
      expect.stringMatching(/^storage\.authorities: names a file that cannot be read: it does not exist/),
    ])
  })

  test.each([
    ['postgres://portaria:hunter2@db/portaria', 'must not hold a password'],
    ['postgres://portaria:@db/portaria', 'must not hold a password'],
    ['postgres://portaria@db/portaria?password=hunter2', 'must not hold a password'],
    ['postgres://portaria:S3nh@#da/x@db.example/portaria', 'must not hold a password'],
    ['postgres://portaria:a/b?c#d@db:5432/portaria', 'must not hold a password'],
    [
      'postgres://portaria@db1:5432,db2:5432/portaria?target_session_attrs=read-write',
      'must name one host: an address',
    ],
    ['postgres://portaria@db1,db2/portaria', 'must name one host: an address'],
    ['postgres://portaria@/portaria?host=db1,db2', 'must name one host: an address'],
    ['postgres://portaria@db/portaria?sslmode=disable', 'may have no parameter but host'],
    ['postgres://portaria@db/portaria?host=/run', 'must name either a host or the folder of a socket'],
    ['postgres://portaria@/portaria?host=run', 'must name either a host or the folder of a socket'],
    ['postgres://db/portaria', 'must be postgres://USER@HOST:PORT/DATABASE'],
    ['postgres://portaria@/portaria', 'must be postgres://USER@HOST:PORT/DATABASE'],
    ['postgres://portaria@db', 'must be postgres://USER@HOST:PORT/DATABASE'],
    ['postgres://portaria@db:70000/portaria', 'must be postgres://USER@HOST:PORT/DATABASE'],
    ['postgres://port%zz@db/portaria', 'has a "%" that is no percent-encoding'],
  ])('%s is refused, and not repeated', (url, problem) => {
    const [mistake, ...others] = mistakes(minimumWith('storage.url', url))
    expect([mistake, others]).toEqual([expect.stringContaining(`storage.url: ${problem}`), []])
    expect(mistake).not.toContain('hunter2')
  })

  test.each(['passwordFile', 'authorities'])('%s belongs to PostgreSQL', (key) => {
    expect(mistakes(minimumWith(`storage.${key}`, 'file'), { file: rootCertificates[0] ?? '' })).toEqual([
      `storage.${key}: is for PostgreSQL, and storage.url names an SQLite file: remove it`,
    ])
  })

  test('A node has the name of its machine, and its folder beside the configuration', () => {
    const { file, node } = load(minimum())
    expect(node).toEqual({ name: hostname(), folder: join(dirname(file), '../data') })
    expect(load(minimumWith('node.name', 'gateway-1')).node.name).toBe('gateway-1')
    expect(mistakes(minimumWith('node.name', 'gateway 1'))).toEqual([
      'node.name: must be letters, digits, hyphens, dots and underscores, at most 63, and begin with a letter or a digit',
    ])
  })

  test.each(['data/portaria.db', 'sqlite:', 'sqlite://data/x.db', 'sqlite::memory:', 'sqlite:data/', 'mysql:x'])(
    '%s is refused',
    (url) => {
      expect(mistakes(minimumWith('storage.url', url))).toEqual([
        'storage.url: must be sqlite: and the path of the database file, such as sqlite:../data/portaria.db; or postgres://USER@HOST:PORT/DATABASE',
      ])
    },
  )
})

describe('the API listener', () => {
  test.each(['0.0.0.0', '::', '10.0.0.5', 'gateway.example', '128.0.0.1'])('On %s it must have TLS', (host) => {
    expect(mistakes(minimumWith('api.host', host))).toEqual([
      'api.host: is not a loopback address, so the API must have TLS: add certificate and privateKey, or write 127.0.0.1',
    ])
  })

  test('Its metrics are open over plain http and protected under TLS, unless it says otherwise', () => {
    const tls = { certificate: 'api.crt', privateKey: 'api.key' }
    const metricsOf = (api: object) => load(minimumWith('api', api)).api.metrics
    expect([metricsOf({}), metricsOf(tls)]).toEqual(['open', 'protected'])
    expect([metricsOf({ metrics: 'protected' }), metricsOf({ ...tls, metrics: 'open' })]).toEqual(['protected', 'open'])
  })

  test('With TLS it may listen anywhere', () => {
    const config = load(minimumWith('api', { host: '0.0.0.0', certificate: '/a.crt', privateKey: '/a.key' }))
    expect(config.api.tls).toEqual({ certificate: '/a.crt', privateKey: '/a.key' })
  })

  test('A certificate without its key is refused', () => {
    expect(mistakes(minimumWith('api.certificate', '/a.crt'))).toEqual([
      'api.privateKey: is missing: TLS needs both certificate and privateKey',
    ])
    expect(mistakes(minimumWith('api', { host: '::', privateKey: '/a.key' }))).toEqual([
      'api.certificate: is missing: TLS needs both certificate and privateKey',
    ])
  })
})
