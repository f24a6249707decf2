import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { loadConfig } from '../../src/config/load-config.ts'
import { configSchema } from '../../src/config/schema.ts'
import { load, minimum } from './files.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema

const CONFIG = join(import.meta.dirname, '../../config')
const SCHEMA = z.toJSONSchema(configSchema('/', 'secrets too'), { io: 'input', unrepresentable: 'any' })
const REFERENCE = readFileSync(join(CONFIG, 'portaria.yaml'), 'utf8')

test('config/portaria.yaml loads and writes the defaults', () => {
  const reference = loadConfig(join(CONFIG, 'portaria.yaml'))
  const expected = load(minimum())
  expect({ ...reference, ...ownPaths(expected) }).toEqual(expected)
})

test('config/portaria.yaml loads with everything that is off switched on', () => {
  const config = loadWithSecrets(switchOn(REFERENCE))
  expect([config.chargeNotifications?.tokens.length, config.api.tls === null, config.destinations.length]).toEqual([
    1,
    false,
    1,
  ])
})

test('config/portaria.yaml writes the defaults of sections that are off', () => {
  const data = parse(REFERENCE.replace(/^#(?=[^ #]| {2})/gm, ''))
  expect(valuesUnlike(data, SCHEMA)).toEqual([])
})

test('config/portaria.yaml holds kinds and the section `service`, ready to be switched on', () => {
  const config = loadWithSecrets(switchOn(REFERENCE).replace('#publicUrl', 'publicUrl'))
  expect([config.callbacks.publicUrl, config.chargeNotifications?.publicUrl]).toEqual([
    'https://hooks.example.com',
    'https://hooks.example.com:8444',
  ])
  expect(config.callbacks.kinds.map(({ name }) => name)).toContain('openBanking')
  expect(config.callbacks.kinds.find(({ name }) => name === 'instantPayment')).toMatchObject({
    split: ['/pix', '/recs', '/cobsr'],
    accounts: [{ pointers: ['/chave'], values: ['pix@shop.example'] }],
  })
  expect(config.callbacks.suffixes).toEqual(['/pix', '/rec', '/cobr'])
  expect(config.service).toHaveLength(1)
  expect(config.service[0]).toMatchObject({
    environment: 'production',
    clientSecret: 'Client_Secret_1234',
    certificate: { certificate: expect.stringMatching(/\.crt$/), privateKey: expect.stringMatching(/\.key$/) },
    resolveTokens: true,
  })
})

test('config/portaria.yaml names every key', () => {
  const data = parse(switchOn(switchOn(REFERENCE)))
  // Whose keys are explained under `callbacks` and `service`.
  const isExplained = (key: string) => /^\.institutions\[\]\.(?:trust|kinds|service)\[\]/.test(key)
  expect(keysNotIn([data], SCHEMA).filter((key) => !isExplained(key))).toEqual([])
})

test('config/development.yaml is the same on this machine only, with an operator token', () => {
  const config = loadConfig(join(CONFIG, 'development.yaml'))
  const expected = load(minimum())
  expect(config).toEqual({
    ...expected,
    file: join(CONFIG, 'development.yaml'),
    sha256: config.sha256,
    written: config.written,
    chargeNotifications: {
      host: '127.0.0.1',
      port: 8444,
      publicUrl: 'https://localhost:8444',
      allowedAddresses: [],
      proxyProtocol: [],
      tls: { certificate: join(CONFIG, '../certs/server.crt'), privateKey: join(CONFIG, '../certs/server.key') },
      tokens: [{ environment: 'sandbox', token: 'known-to-everybody-for-development-only' }],
      pathTokens: [],
    },
    mode: 'development',
    callbacks: {
      ...expected.callbacks,
      host: '127.0.0.1',
      publicUrl: 'https://localhost:8443',
      certificate: join(CONFIG, '../certs/server.crt'),
      privateKey: join(CONFIG, '../certs/server.key'),
      trust: expected.callbacks.trust.map((chain) => ({
        ...chain,
        chain: join(CONFIG, `../certs/trust/${chain.environment}.pem`),
      })),
    },
    api: { ...expected.api, operatorTokenFile: join(CONFIG, '../data/operator-token') },
    storage: { ...expected.storage, database: { file: join(CONFIG, '../data/portaria.db') } },
    node: { ...expected.node, folder: join(CONFIG, '../data') },
    forwarding: { ...expected.forwarding, allowedNetworks: ['127.0.0.0/8', '::1'] },
    check: { accepted: [{ code: 'file.mode', what: 'chargeNotifications.tokens', reason: expect.any(String) }] },
  })
})

/** What depends on the place of the file. */
function ownPaths(config: ReturnType<typeof load>): object {
  const { file, sha256, written, storage, node, callbacks } = config
  const reference = loadConfig(join(CONFIG, 'portaria.yaml'))
  const { certificate, privateKey, trust } = callbacks
  return {
    file,
    sha256,
    written,
    storage: { ...reference.storage, database: storage.database },
    node,
    callbacks: { ...reference.callbacks, certificate, privateKey, trust },
  }
}

/** Settings that are off begin with "#" directly followed by the key; what explains them, with "# ". */
function switchOn(text: string): string {
  return (
    text
      .split('\n')
      .map((line) => line.replace(/^( *)#(?=[^ #]| {2})/, '$1'))
      .join('\n')
      // The database of a file, the first, needs no password.
      .replace(/^ {2}url: sqlite:.*$/m, '  url: postgres://portaria@db.example.com/portaria')
  )
}

function loadWithSecrets(text: string) {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const flat = text.replaceAll('secrets/', '')
  const ofDatabase = {
    postgres: 'its password',
    'postgres-authorities.pem': rootCertificates[0] ?? '',
    'oidc-authorities.pem': rootCertificates[0] ?? '',
  }
  const others = {
    'charge-token': 'ab'.repeat(32),
    app: secret,
    'service-production': 'Client_Secret_1234',
    'oidc-client': 'of-the-provider',
  }
  return load(flat, { ...ofDatabase, ...others })
}

/** Keys of the schema that none of the values has, at any depth. */
function keysNotIn(values: unknown[], schema: unknown, path = ''): string[] {
  const { properties = {}, items, additionalProperties } = schema as JsonSchema
  const members = values.filter((value) => typeof value === 'object' && value !== null)
  const missing = Object.entries(properties).flatMap(([key, child]) => {
    const present = members.filter((member) => key in member).map((member) => Reflect.get(member, key))
    return present.length === 0 ? [`${path}.${key}`] : keysNotIn(present, child, `${path}.${key}`)
  })
  const children = items ?? additionalProperties
  if (typeof children !== 'object') return missing
  return missing.concat(keysNotIn(members.flatMap(Object.values), children, `${path}[]`))
}

/** Keys whose value is not the default that the schema has for them. */
function valuesUnlike(value: unknown, schema: unknown, path = ''): string[] {
  const { properties = {}, items, default: preset } = schema as JsonSchema
  if (Array.isArray(value) && typeof items === 'object' && 'properties' in items)
    return value.flatMap((one) => valuesUnlike(one, items, `${path}[]`))
  if (typeof value === 'object' && value !== null && Object.keys(properties).length > 0)
    return Object.entries(value).flatMap(([key, one]) => valuesUnlike(one, properties[key] ?? {}, `${path}.${key}`))
  return preset === undefined || isDeepStrictEqual(preset, value) ? [] : [path]
}
