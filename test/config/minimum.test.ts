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

test('The minimum gets what follows from it, in ms and bytes, with absolute paths', () => {
  const base = directory({ 'portaria.yaml': MINIMUM })
  const file = join(base, 'portaria.yaml')
  expect(loadConfig(file)).toMatchObject({
    file,
    sha256: createHash('sha256').update(MINIMUM).digest('hex'),
    callbacks: {
      publicUrl: null,
      certificate: join(base, '../certs/server.crt'),
      trust: ['production', 'sandbox'].map((environment) => ({
        environment,
        chain: join(base, `../certs/trust/${environment}.pem`),
        certificateUrl: null,
      })),
      kinds: ['registration', 'payment', 'charge'].map((name) => ({
        name,
        path: `/callbacks/${name}`,
        ...kindDefaults(name),
      })),
      limits: { bodyBytes: 1024 * 1024, requestTimeoutMs: 20_000, connectionsPerAddress: 500 },
    },
    chargeNotifications: null,
    certificates: { authority: null },
    api: { tls: null, metrics: 'open', pages: { idleEndMs: 1_800_000 }, oidc: null },
    storage: {
      database: { file: join(base, '../data/portaria.db') },
      queue: { events: 10_000, bytes: 64 * 1024 * 1024 },
      deduplicationWindowMs: 40 * DAY,
      retention: { payloadMs: 90 * DAY, metadataMs: 400 * DAY, kinds: {} },
      minFreeSpace: { share: 0.02 },
    },
    node: { name: hostname(), folder: join(base, '../data') },
    forwarding: {
      schedule: [0, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE].concat(
        [2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
      ),
      clientCertificate: null,
    },
    alarms: null,
  })
})

test('The sections api, forwarding and log may be left out', () => {
  const { callbacks, storage } = minimum()
  const [left, full] = [load({ callbacks, storage }), load(minimum())]
  expect([left.api, left.forwarding, left.log]).toEqual([full.api, full.forwarding, full.log])
})

test('The configuration is frozen to its depths', () => {
  const config = load(minimum())
  const places = [config, config.callbacks.limits, config.callbacks.kinds[0]?.subject, config.forwarding.schedule]
  expect(places.map((place) => Object.isFrozen(place))).toEqual([true, true, true, true])
  expect(Object.isFrozen(kindDefaults('payment').subject)).toBe(false)
})
