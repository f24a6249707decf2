import { resolve } from 'node:path'
import { z } from 'zod'
import { DEFAULT_SUFFIXES } from '../domain/routes.ts'
import { CRL_EXPIRED } from '../domain/trust.ts'
import { POSTGRES_FORM, readPostgresUrl, type SqliteAddress } from '../platform/postgres/postgres-address.ts'
import { similarWord } from '../platform/suggestion.ts'
import type { Reading } from '../platform/units.ts'
import { alarmsSchema } from './alarms-schema.ts'
import { CLIENT_CERTIFICATES, LOG_LEVELS, METRICS_ACCESS, MODES, PAGES_SWITCH } from './config.ts'
import { checkTogether } from './cross-checks.ts'
import { destinationsSchema } from './destinations-schema.ts'
import {
  attemptTimeout,
  baseUrl,
  concurrency,
  duration,
  environment,
  field,
  host,
  integer,
  integerOrUnlimited,
  minFreeSpace,
  network,
  oneOf,
  pathSegment,
  port,
  routePath,
  schedule,
  share,
  size,
  text,
  timeout,
} from './fields.ts'
import { ACCEPTABLE_CODES, FINDING_CODES, type FindingCode } from './finding-codes.ts'
import { answerSchema, institutionName, kindsSchema, trustSchema } from './institution-schema.ts'
import { oidcSchema } from './oidc-schema.ts'
import { PRESETS } from './presets.ts'
import { type FileFields, fileFields, type SecretReading } from './secret-files.ts'
import {
  checkAnyToken,
  checkApiTls,
  checkClientCertificates,
  checkListenerLimits,
  checkStorageUrl,
  checkTlsPair,
  reportOn,
} from './section-checks.ts'
import { serviceSchema } from './service-schema.ts'

export type ParsedConfig = z.output<ReturnType<typeof configSchema>>

/**
 * The configuration file as written. Every check runs even if others have failed, so that all mistakes are reported together.
 * @param directory relative paths begin here
 * @param reading which secrets are read
 * @param ofService the same for the section `service`
 */
export function configSchema(directory: string, reading: SecretReading, ofService = reading) {
  const files = fileFields(directory, reading)
  const serviceFiles = fileFields(directory, ofService)
  return z
    .strictObject({
      mode: oneOf(MODES).prefault('production'),
      callbacks: callbacksSchema(files),
      chargeNotifications: chargeNotificationsSchema(files).optional(),
      certificates: z
        .strictObject({ authority: files.path('the folder of your private authority').optional() })
        .prefault({}),
      api: apiSchema(files).prefault({}),
      storage: storageSchema(directory, files),
      node: nodeSchema(files).prefault({}),
      forwarding: forwardingSchema(files).prefault({}),
      destinations: destinationsSchema(files).prefault([]),
      service: serviceSchema(serviceFiles).prefault([]),
      institutions: institutionsSchema(files, serviceFiles).prefault([]),
      log: z.strictObject({ level: oneOf(LOG_LEVELS).prefault('info') }).prefault({}),
      alarms: alarmsSchema(files).optional(),
      check: checkSchema.prefault({}),
    })
    .superRefine(...reportOn(checkTogether))
}

const findingCode = field<FindingCode>('the code of a finding, such as node.unneeded_fixes', (value) => {
  const code = FINDING_CODES.find((one) => one === value)
  if (code !== undefined && ACCEPTABLE_CODES.includes(code)) return { value: code }
  if (code !== undefined) return { problem: `${code} cannot be accepted: remove its cause` }
  const likely = typeof value === 'string' ? similarWord(value, ACCEPTABLE_CODES) : null
  const advice = likely === null ? 'docs/codes.md lists them' : `did you mean "${likely}"?`
  return { problem: `is no code of a finding of portaria check; ${advice}` }
})

const checkSchema = z.strictObject({
  accepted: z
    .array(
      z.strictObject({
        code: findingCode,
        what: text('the subject of the finding, as portaria check prints it').optional(),
        reason: text('why you accept it, in quotes'),
      }),
    )
    .prefault([]),
})

function callbacksSchema(files: FileFields) {
  return z.strictObject({
    host,
    port,
    publicUrl: baseUrl('https://hooks.example.com').optional(),
    certificate: files.path("the path of this server's certificate, PEM with its full chain"),
    privateKey: files.path("the path of the certificate's private key, PEM"),
    trust: trustSchema(files).optional(),
    suffixes: z.array(routePath).prefault([...DEFAULT_SUFFIXES]),
    kinds: kindsSchema().optional(),
    limits: callbackLimitsSchema().prefault({}),
    proxyProtocol: z.array(network).prefault([]),
  })
}

/** Of institutions with a name. Without one, its keys are in `callbacks` and `service`. */
function institutionsSchema(files: FileFields, ofService: FileFields) {
  return z.array(
    z.strictObject({
      name: institutionName,
      preset: oneOf(PRESETS).optional(),
      trust: trustSchema(files).optional(),
      suffixes: z.array(routePath).prefault([]),
      kinds: kindsSchema(),
      answer: answerSchema.prefault({}),
      limits: z.strictObject({ answerWithin: timeout().optional() }).prefault({}),
      givesUpAfter: duration({ min: '1s', max: '3650d' }).optional(),
      service: serviceSchema(ofService).prefault([]),
    }),
  )
}

function callbackLimitsSchema() {
  return z
    .strictObject({ body: size({ min: '1B', max: '256MiB' }).prefault('1MiB'), ...listenerLimits('20s') })
    .superRefine(...reportOn(checkListenerLimits))
}

function listenerLimits(requestTimeout: string) {
  return {
    headers: size({ min: '1KiB', max: '1MiB' }).prefault('16KiB'),
    handshakeTimeout: timeout().prefault('10s'),
    headersTimeout: timeout().prefault('10s'),
    requestTimeout: timeout().prefault(requestTimeout),
    keepAliveTimeout: timeout().prefault('65s'),
    maxConnections: integer(1, 1_000_000).prefault(2000),
    connectionsPerAddress: integer(1, 1_000_000).optional(),
  }
}

function chargeNotificationsSchema(files: FileFields) {
  const token = z.strictObject({
    institution: text('the name of an institution').optional(),
    environment,
    tokenFile: files.token,
  })
  return z
    .strictObject({
      host,
      port,
      publicUrl: baseUrl('https://hooks.example.com:8444', ['https:', 'http:']).optional(),
      certificate: files.path('the path of a certificate, PEM with its full chain').optional(),
      privateKey: files.path("the path of the certificate's private key, PEM").optional(),
      tokens: z.array(token).prefault([]),
      pathTokens: z.array(token.extend({ kind: text('the name of a kind') })).prefault([]),
      allowedAddresses: z.array(network).prefault([]),
      proxyProtocol: z.array(network).prefault([]),
    })
    .superRefine(...reportOn(checkTlsPair))
    .superRefine(...reportOn(checkAnyToken))
}

function apiSchema(files: FileFields) {
  return z
    .strictObject({
      host: host.prefault('127.0.0.1'),
      port: port.prefault(8080),
      hostNames: z.array(host).prefault([]),
      publicUrl: baseUrl('https://portaria.example.com', ['https:', 'http:']).optional(),
      certificate: files.path('the path of a certificate, PEM with its full chain').optional(),
      privateKey: files.path("the path of the certificate's private key, PEM").optional(),
      clientCertificates: oneOf(CLIENT_CERTIFICATES).optional(),
      clientCa: files.path("the path of the authorities of your apps' certificates, PEM").optional(),
      clientCrl: z.array(files.path('the path of a revocation list, PEM or DER')).prefault([]),
      clientCrlExpired: oneOf(CRL_EXPIRED).prefault('warn'),
      operatorTokenFile: files.path("the path of a file with the operator's token").optional(),
      metrics: oneOf(METRICS_ACCESS).optional(),
      pages: oneOf(PAGES_SWITCH).prefault('on'),
      pagesIdleEnd: duration({ min: '1m', max: '12h' }).prefault('30m'),
      oidc: oidcSchema(files).optional(),
      limits: z
        .strictObject(listenerLimits('30s'))
        .superRefine(...reportOn(checkListenerLimits))
        .prefault({}),
      proxyProtocol: z.array(network).prefault([]),
      servicePathSegment: pathSegment.prefault('svc'),
    })
    .superRefine(...reportOn(checkTlsPair))
    .superRefine(...reportOn(checkApiTls))
    .superRefine(...reportOn(checkClientCertificates))
}

function storageSchema(directory: string, files: FileFields) {
  const schema = z.strictObject({
    url: storageUrl(directory),
    passwordFile: files.password.optional(),
    authorities: files.authorities.optional(),
    queue: z
      .strictObject({
        events: integer(1, 1_000_000).prefault(10_000),
        bytes: size({ min: '1KiB', max: '4GiB' }).prefault('64MiB'),
      })
      .prefault({}),
    deduplicationWindow: duration({ min: '1m', max: '3650d' }).optional(),
    retention: retentionSchema().prefault({}),
    minFreeSpace: minFreeSpace.prefault('2%'),
  })
  return schema.superRefine(...reportOn(checkStorageUrl))
}

function nodeSchema(files: FileFields) {
  return z.strictObject({
    name: nodeName.optional(),
    folder: files.path('the path of a folder of this machine').prefault('../data'),
  })
}

function retentionSchema() {
  const window = duration({ min: '1m', max: '36500d' })
  return z.strictObject({
    payload: window.prefault('90d'),
    metadata: window.prefault('400d'),
    kinds: z
      .record(z.string(), z.strictObject({ payload: window.optional(), metadata: window.optional() }))
      .prefault({}),
  })
}

const nodeName = text('a name such as gateway-1', (value) =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(value)
    ? null
    : 'must be letters, digits, hyphens, dots and underscores, at most 63, and begin with a letter or a digit',
)

const SQLITE_FORM = 'sqlite: and the path of the database file, such as sqlite:../data/portaria.db'

const URL_FORM = `${SQLITE_FORM}; or ${POSTGRES_FORM}`

function storageUrl(directory: string) {
  return field(URL_FORM, (value) => readStorageUrl(String(value), directory))
}

/** @param directory that of a relative path */
export function readStorageUrl(url: string, directory: string): Reading<SqliteAddress | { readonly url: string }> {
  if (/^postgres(ql)?:/i.test(url)) {
    const place = readPostgresUrl(url)
    return 'problem' in place ? place : { value: { url } }
  }
  const path = /^sqlite:(?!\/\/)([^\0]*[^/\0])$/.exec(url)?.[1]
  if (path === undefined || path === ':memory:') return { problem: `must be ${URL_FORM}` }
  return { value: { file: resolve(directory, path) } }
}

function forwardingSchema(files: FileFields) {
  return z.strictObject({
    allowedNetworks: z.array(network).prefault([]),
    schedule: schedule().prefault(['0s', '5s', '30s', '2m', '10m', '30m', '2h', '5h', '10h', '14h', '20h', '24h']),
    jitter: share.prefault(0.2),
    maxAge: duration({ min: '1s', max: '3650d' }).prefault('30d'),
    retryAfterLimit: duration({ min: '0s', max: '30d' }).prefault('1h'),
    timeout: attemptTimeout().prefault('15s'),
    concurrency: concurrency.prefault(8),
    catchUpRate: integerOrUnlimited(1, 100_000).prefault(200),
    circuit: z
      .strictObject({
        failures: integer(1, 1000).prefault(5),
        probeInterval: duration({ min: '100ms', max: '1h' }).prefault('15s'),
      })
      .prefault({}),
    clientCertificate: z
      .strictObject({
        certificate: files.path('the path of the certificate that destinations are shown, PEM with its full chain'),
        privateKey: files.path("the path of the certificate's private key, PEM"),
      })
      .optional(),
  })
}
