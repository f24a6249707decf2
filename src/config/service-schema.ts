import { z } from 'zod'
import { realmOf } from '../domain/realm.ts'
import { RETRY_SCHEDULES } from '../domain/reconcile/retry-windows.ts'
import { asksForCertificate, SERVICE_INTERFACES, type ServiceInterface } from '../domain/service/service-interfaces.ts'
import { suggestion } from '../platform/suggestion.ts'
import { baseUrl, duration, environment, integerOrUnlimited, oneOf, text } from './fields.ts'
import type { TlsFiles } from './listener-schema.ts'
import type { Named } from './named.ts'
import type { FileFields } from './secret-files.ts'
import { at, type ReportProblem, reportOn } from './section-checks.ts'

type Entry = Named<z.output<ReturnType<typeof serviceSchema>>>[number]

function budget(preset: number) {
  return integerOrUnlimited(1, 100_000_000).prefault(preset)
}

const kind = text('the name of a kind, such as payment').optional()

/** The kinds are compared with those that the file has. */
const reconcileSchema = z.strictObject({
  payments: kind,
  openings: kind,
  charges: kind,
  statement: kind,
  every: duration({ min: '10s', max: '30d' }).prefault('6h'),
  /** Whether openings are asked about: the answer is the secret of an account. */
  readCredentials: z.boolean('must be true or false').prefault(false),
  /** After this time without an event an expected id is silent; null: it is learned. */
  silentAfter: duration({ min: '1s', max: '400d' }).optional(),
  /** After this time an id that the service does not know is asked about no more. */
  giveUpAfter: duration({ min: '1h', max: '400d' }).prefault('30d'),
  /** How the service sends a callback again that was not taken. */
  retries: oneOf(RETRY_SCHEDULES).prefault('short'),
})

/** The section `service`. The environments of its entries are compared with the rest of the file. */
export function serviceSchema(files: FileFields) {
  const address = baseUrl('https://api.service.example').optional()
  return z.array(
    z
      .strictObject({
        environment,
        /** Without a slash at the end; null: the interface is not used. */
        baseAddresses: z.strictObject({
          account: address,
          payment: address,
          registration: address,
          openBanking: address,
          charges: address,
        }),
        clientId: text('the client id that the service issued', (value) =>
          /^[!-9;-~]+$/.test(value)
            ? null
            : 'must be the client id as the service issued it: without spaces and colons',
        ),
        clientSecret: files.clientSecret,
        certificate: files.path('the path of the certificate that the service issued, PEM or .p12').optional(),
        privateKey: files.path("the path of the certificate's private key, PEM").optional(),
        passwordFile: files.path('the path of a file with the password of the .p12 file').optional(),
        /** Of the service's server certificates; null: the public ones. */
        authorities: files.path("the path of a PEM file with the CAs of the service's certificates").optional(),
        /** Most questions of a purpose in a UTC day; null: unlimited. */
        dailyBudgets: z
          .strictObject({
            notifications: budget(30_000),
            payment: budget(10_000),
            registration: budget(2_000),
            charges: budget(10_000),
          })
          .prefault({}),
        /** false: tokens of charge callbacks are forwarded as they came. */
        resolveTokens: z.boolean('must be true or false').optional(),
        /** After this time a token that is not resolved becomes an event. */
        resolveWithin: duration({ min: '1s', max: '30d' }).prefault('6h'),
        reconcile: reconcileSchema.prefault({}),
      })
      .superRefine(...reportOn(checkAddresses))
      .superRefine(...reportOn(checkCertificate)),
  )
}

/**
 * @param institution whose service it is; null: the unnamed one
 * @param kinds of this institution
 */
export function toService(entry: Entry, institution: string | null, kinds: readonly string[]) {
  const { clientSecret, certificate, privateKey, passwordFile, ...service } = entry
  return {
    ...service,
    environment: realmOf(institution, entry.environment),
    /** Empty: its file cannot be used. */
    clientSecret: clientSecret.secret ?? '',
    clientSecretFile: clientSecret.file,
    certificate: toCertificate({ certificate, privateKey, passwordFile }),
    resolveTokens: entry.resolveTokens ?? entry.baseAddresses.charges !== null,
    reconcile: { ...entry.reconcile, ...kindsOf(entry, kinds) },
  }
}

/** A PEM pair, or a .p12 file with both. */
type CertificateFiles =
  | TlsFiles
  | {
      readonly pkcs12: string
      /** Path of the file with its password; null: the empty password. */
      readonly passwordFile: string | null
    }

function toCertificate(entry: Pick<Entry, 'certificate' | 'privateKey' | 'passwordFile'>): CertificateFiles | null {
  const { certificate, privateKey, passwordFile } = entry
  if (certificate === null) return null
  return privateKey === null ? { pkcs12: certificate, passwordFile } : { certificate, privateKey }
}

function checkAddresses(value: unknown, report: ReportProblem): void {
  const addresses = at(value, 'baseAddresses')
  const used = SERVICE_INTERFACES.filter((name) => at(addresses, name) !== undefined)
  if (typeof addresses === 'object' && addresses !== null && used.length === 0)
    report(
      ['baseAddresses'],
      `names no interface: write the address of at least one of ${SERVICE_INTERFACES.join(', ')}`,
    )
  const first = used.find(asksForCertificate)
  if (first !== undefined && at(value, 'certificate') === undefined)
    report(['certificate'], `is missing: the interface ${first} asks for a client certificate`)
  if (at(value, 'resolveTokens') === true && !used.includes('charges'))
    report(['resolveTokens'], 'needs baseAddresses.charges, where the entries of a token are asked for')
}

function checkCertificate(value: unknown, report: ReportProblem): void {
  const [certificate, privateKey] = [at(value, 'certificate'), at(value, 'privateKey')]
  const hasPassword = at(value, 'passwordFile') !== undefined
  if (certificate === undefined && privateKey !== undefined)
    report(['certificate'], 'is missing: write the path of the certificate of this private key')
  if (certificate === undefined && hasPassword)
    report(['certificate'], 'is missing: write the path of the .p12 file of this password')
  if (typeof certificate !== 'string') return
  const isPkcs12 = /\.(p12|pfx)$/i.test(certificate)
  if (isPkcs12 && privateKey !== undefined)
    report(['privateKey'], 'contradicts the .p12 file, which holds the private key: remove it')
  if (!isPkcs12 && privateKey === undefined && !hasPassword)
    report(
      ['privateKey'],
      'is missing: name the file with the private key, which may be the same file; a PKCS#12 file needs none, and must end in .p12 or .pfx',
    )
  if (!isPkcs12 && hasPassword)
    report(['passwordFile'], 'is for a .p12 file: remove it, or name a certificate file that ends in .p12 or .pfx')
}

/** The kinds of an institution by what the service is asked about; null: it is not asked. */
interface ReconciledKinds {
  readonly payments: string | null
  readonly openings: string | null
  /** Of charges, subscriptions and carnets. */
  readonly charges: string | null
  /** Of received instant payments, which the account's statement counts. */
  readonly statement: string | null
}

interface Reconciled {
  /** Where the service is asked. */
  readonly on: ServiceInterface
  /** The kind, if there is one of this name, where the key is left out. */
  readonly preset: string | null
}

/** The keys of `reconcile` that name a kind. */
const RECONCILED: Readonly<Record<keyof ReconciledKinds, Reconciled>> = {
  payments: { on: 'payment', preset: 'payment' },
  openings: { on: 'registration', preset: 'registration' },
  charges: { on: 'charges', preset: 'charge' },
  statement: { on: 'account', preset: null },
}
const KINDS = Object.keys(RECONCILED) as (keyof ReconciledKinds)[]

/** The kinds that an entry of `service` names, and those of the usual names where nothing else uses them. @param known kinds of its institution */
function kindsOf(service: unknown, known: readonly string[]): ReconciledKinds {
  const written = KINDS.map((key) => at(service, 'reconcile', key))
  const kindOf = (key: keyof ReconciledKinds): string | null => {
    const { on, preset } = RECONCILED[key]
    const named = at(service, 'reconcile', key)
    if (typeof named === 'string') return named
    const isUsable = preset !== null && known.includes(preset) && (at(service, 'baseAddresses', on) ?? null) !== null
    return isUsable && !written.includes(preset) ? preset : null
  }
  return {
    payments: kindOf('payments'),
    openings: kindOf('openings'),
    charges: kindOf('charges'),
    statement: kindOf('statement'),
  }
}

/** @param where whose kinds are `known`, for texts */
export function checkReconcile(service: unknown, known: readonly string[], where: string, report: ReportProblem): void {
  const seen = new Set<unknown>()
  for (const key of KINDS) {
    const named = at(service, 'reconcile', key)
    if (typeof named !== 'string' || named === '') continue
    const problem = problemOfKind(service, { key, named, known, where }) ?? (seen.has(named) ? TWICE : null)
    if (problem !== null) report(['reconcile', key], problem)
    seen.add(named)
  }
  if (at(service, 'reconcile', 'readCredentials') === true && kindsOf(service, known).openings === null)
    report(
      ['reconcile', 'readCredentials'],
      'is for openings: name their kind in reconcile.openings, and set baseAddresses.registration',
    )
}

const TWICE = 'is the kind of another key above: each kind has one meaning'

interface NamedKind {
  readonly key: keyof ReconciledKinds
  readonly named: string
  readonly known: readonly string[]
  readonly where: string
}

function problemOfKind(service: unknown, { key, named, known, where }: NamedKind): string | null {
  const { on } = RECONCILED[key]
  if (known.length > 0 && !known.includes(named)) return `is not a kind of ${where}${suggestion(named, known)}`
  const hasAddress = at(service, 'baseAddresses', on) !== undefined
  return hasAddress || at(service, 'baseAddresses') === undefined
    ? null
    : `needs baseAddresses.${on}, where it is asked for`
}
