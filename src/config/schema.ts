import { hostname } from 'node:os'
import { z } from 'zod'
import { similarWord } from '../platform/suggestion.ts'
import { alarmsSchema, toAlarms } from './alarms-schema.ts'
import { apiSchema, toApi } from './api-schema.ts'
import { callbacksSchema, toCallbacks } from './callbacks-schema.ts'
import { chargesSchema, toCharges } from './charges-schema.ts'
import { checkTogether } from './cross-checks.ts'
import { destinationsSchema, toDestination } from './destinations-schema.ts'
import { field, name, oneOf, RELOADED, text } from './fields.ts'
import { ACCEPTABLE_CODES, FINDING_CODES, type FindingCode } from './finding-codes.ts'
import { forwardingSchema } from './forwarding-schema.ts'
import { institutionsSchema, toInstitution } from './institution-schema.ts'
import { named } from './named.ts'
import { fileFields, type SecretReading } from './secret-files.ts'
import { reportOn } from './section-checks.ts'
import { serviceSchema, toService } from './service-schema.ts'
import { storageSchema, toStorage } from './storage-schema.ts'

type ConfigSchema = ReturnType<typeof configSchema>

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
      /** development: missing certificates and the operator token are created at start. */
      mode: oneOf(['production', 'development']).prefault('production'),
      callbacks: callbacksSchema(files),
      /** null: the charge listener is off. */
      chargeNotifications: chargesSchema(files).optional(),
      certificates: z
        .strictObject({
          /** null: the gateway renews no certificate. */
          authority: files.path('the folder of your private authority').optional(),
        })
        .prefault({})
        .meta(RELOADED),
      api: apiSchema(files).prefault({}),
      storage: storageSchema(directory, files),
      /** This gateway among several that share a PostgreSQL database. */
      node: z
        .strictObject({
          /** In logs, metrics and lists. */
          name: name('a name such as gateway-1').default(hostname),
          /** Of the control socket with PostgreSQL. With SQLite it is beside the database. */
          folder: files.path('the path of a folder of this machine').prefault('../data'),
        })
        .prefault({}),
      forwarding: forwardingSchema(files).prefault({}),
      destinations: destinationsSchema(files).prefault([]).meta(RELOADED),
      service: serviceSchema(serviceFiles).prefault([]).meta(RELOADED),
      institutions: institutionsSchema(files, serviceFiles).prefault([]),
      log: z
        .strictObject({ level: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']).prefault('info') })
        .prefault({}),
      /** null: nothing is sent. */
      alarms: alarmsSchema(files).optional().meta(RELOADED),
      /** Of `portaria check`, which reads it itself. */
      check: checkSchema.prefault({}).meta(RELOADED),
    })
    .superRefine(...reportOn(checkTogether))
}

/** The same, and nothing in it can be changed. */
export type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** All paths are absolute, all times in ms, all sizes in bytes. Keys of sections that are not here are as in their schemas. */
export type ConfigWithSecrets = Frozen<ReturnType<typeof toConfig>>

export function toConfig(
  source: { readonly file: string; readonly sha256: string },
  schema: ConfigSchema,
  written: z.output<ConfigSchema>,
) {
  const sections = named(schema, written)
  const { callbacks, institutions, destinations, service, chargeNotifications, alarms } = sections
  return {
    ...sections,
    /** The file that it was read from. */
    file: source.file,
    /** SHA-256 of that file, hexadecimal. */
    sha256: source.sha256,
    /** The values under the keys of the file. */
    written,
    callbacks: toCallbacks(callbacks, institutions),
    /** The named ones. Their chains, kinds and services are in the lists of all: `callbacks.trust`, `callbacks.kinds`, `service`. */
    institutions: institutions.map(toInstitution),
    chargeNotifications: chargeNotifications && toCharges(chargeNotifications),
    api: toApi(sections.api),
    storage: toStorage(sections.storage),
    destinations: destinations.map((destination) => toDestination(destination, sections.forwarding)),
    /** The CA files of destinations. */
    authorityFiles: destinations.flatMap(({ name, ca }) => (ca === null ? [] : [{ destination: name, file: ca.file }])),
    /** At most one entry per environment of an institution. */
    service: [{ name: null, kinds: callbacks.kinds ?? {}, service }, ...institutions].flatMap((owner) =>
      owner.service.map((entry) => toService(entry, owner.name, Object.keys(owner.kinds))),
    ),
    alarms: alarms && toAlarms(alarms),
  }
}

export function withoutSecrets({
  written,
  api,
  chargeNotifications: charges,
  destinations,
  service,
  ...config
}: ConfigWithSecrets) {
  return {
    ...config,
    api: { ...api, oidc: api.oidc && withoutSecret(api.oidc) },
    chargeNotifications: charges && {
      ...charges,
      tokens: charges.tokens.map(({ token, ...entry }) => entry),
      pathTokens: charges.pathTokens.map(({ token, ...entry }) => entry),
    },
    destinations: destinations.map(({ secrets, ...destination }) => destination),
    service: service.map(withoutSecret),
  }
}

function withoutSecret<T extends { readonly clientSecret: string }>({ clientSecret, ...others }: T) {
  return others
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
