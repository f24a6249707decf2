import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { kindDefaults } from '../../src/domain/kinds.ts'
import { directory, load, minimum } from './files.ts'

/** As in the design, character by character. */
const MINIMUM = `
callbacks:
  host: 0.0.0.0
  port: 8443
  certificate: ../certs/server.crt     # PEM, full chain
  privateKey: ../certs/server.key
  trust:
    - environment: production
      chain: ../certs/trust/production.pem
    - environment: sandbox
      chain: ../certs/trust/sandbox.pem
  kinds:
    registration: { path: /callbacks/registration }
    payment: { path: /callbacks/payment }
    charge: { path: /callbacks/charge }
api:
  host: 127.0.0.1
  port: 8080
storage:
  url: sqlite:../data/portaria.db
forwarding:
  allowedNetworks: []                  # private ranges a destination may live in; plain http only there
`

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test('The minimum gets every default, in ms and bytes, with absolute paths', () => {
  const base = directory({ 'portaria.yaml': MINIMUM })
  const file = join(base, 'portaria.yaml')
  expect(loadConfig(file)).toEqual({
    file,
    sha256: createHash('sha256').update(MINIMUM).digest('hex'),
    mode: 'production',
    institutions: [],
    callbacks: {
      host: '0.0.0.0',
      port: 8443,
      publicUrl: null,
      certificate: join(base, '../certs/server.crt'),
      privateKey: join(base, '../certs/server.key'),
      trust: ['production', 'sandbox'].map((environment) => ({
        environment,
        chain: join(base, `../certs/trust/${environment}.pem`),
        certificateUrl: null,
        allow: { subjectCommonNames: [], subjectAlternativeNames: [], fingerprints: [] },
        deny: { fingerprints: [], serials: [] },
        usage: 'client',
        crl: [],
        crlExpired: 'warn',
      })),
      suffixes: ['/pix', '/rec', '/cobr'],
      kinds: ['registration', 'payment', 'charge'].map((name) => ({
        name,
        path: `/callbacks/${name}`,
        ...kindDefaults(name),
      })),
      limits: {
        bodyBytes: 1024 * 1024,
        headersBytes: 16 * 1024,
        handshakeTimeoutMs: 10 * SECOND,
        headersTimeoutMs: 10 * SECOND,
        requestTimeoutMs: 20 * SECOND,
        keepAliveTimeoutMs: 65 * SECOND,
        maxConnections: 2000,
        connectionsPerAddress: 500,
      },
      proxyProtocol: [],
    },
    chargeNotifications: null,
    certificates: { authority: null },
    alarms: null,
    service: [],
    api: {
      host: '127.0.0.1',
      port: 8080,
      tls: null,
      clientCertificates: null,
      clientCa: null,
      clientCrl: [],
      clientCrlExpired: 'warn',
      hostNames: [],
      publicUrl: null,
      operatorTokenFile: null,
      metrics: 'open',
      pages: { idleEndMs: 1_800_000 },
      oidc: null,
      limits: {
        headersBytes: 16 * 1024,
        handshakeTimeoutMs: 10 * SECOND,
        headersTimeoutMs: 10 * SECOND,
        requestTimeoutMs: 30 * SECOND,
        keepAliveTimeoutMs: 65 * SECOND,
        maxConnections: 2000,
        connectionsPerAddress: 500,
      },
      proxyProtocol: [],
      servicePathSegment: 'svc',
    },
    storage: {
      database: { file: join(base, '../data/portaria.db') },
      queue: { events: 10_000, bytes: 64 * 1024 * 1024 },
      deduplicationWindowMs: 40 * DAY,
      retention: { payloadMs: 90 * DAY, metadataMs: 400 * DAY, kinds: {} },
      minFreeSpace: { share: 0.02 },
    },
    node: { name: hostname(), folder: join(base, '../data') },
    forwarding: {
      allowedNetworks: [],
      schedule: [0, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE].concat(
        [2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
      ),
      jitter: 0.2,
      maxAgeMs: 30 * DAY,
      retryAfterLimitMs: HOUR,
      timeoutMs: 15 * SECOND,
      concurrency: 8,
      catchUpRate: 200,
      circuit: { failures: 5, probeIntervalMs: 15 * SECOND },
      clientCertificate: null,
    },
    destinations: [],
    authorityFiles: [],
    log: { level: 'info' },
    check: { accepted: [] },
  })
})

test('The sections api, forwarding and log may be left out', () => {
  const { callbacks, storage } = minimum()
  const { file: _one, sha256: _seven, storage: _two, callbacks: _three, ...left } = load({ callbacks, storage })
  const { file: _four, sha256: _eight, storage: _five, callbacks: _six, ...full } = load(minimum())
  expect(left).toEqual(full)
})

test('The configuration is frozen to its depths', () => {
  const config = load(minimum())
  const places = [config, config.callbacks.limits, config.callbacks.kinds[0]?.subject, config.forwarding.schedule]
  expect(places.map((place) => Object.isFrozen(place))).toEqual([true, true, true, true])
  expect(Object.isFrozen(kindDefaults('payment').subject)).toBe(false)
})
