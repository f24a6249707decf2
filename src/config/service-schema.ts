import { z } from 'zod'
import { realmOf } from '../domain/realm.ts'
import { RETRY_SCHEDULES } from '../domain/reconcile/retry-windows.ts'
import { asksForCertificate, SERVICE_INTERFACES } from '../domain/service/service-interfaces.ts'
import type { ServiceCertificateFiles, ServiceWithSecret } from './config.ts'
import { baseUrl, duration, environment, integerOrUnlimited, oneOf, text } from './fields.ts'
import { kindsOf } from './reconcile-kinds.ts'
import type { FileFields } from './secret-files.ts'
import { at, type ReportProblem, reportOn } from './section-checks.ts'

type ParsedService = z.output<ReturnType<typeof serviceSchema>>[number]

/** Of questions in a UTC day. */
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
  readCredentials: z.boolean('must be true or false').prefault(false),
  silentAfter: duration({ min: '1s', max: '400d' }).optional(),
  giveUpAfter: duration({ min: '1h', max: '400d' }).prefault('30d'),
  retries: oneOf(RETRY_SCHEDULES).prefault('short'),
})

/** The section `service`. The environments of its entries are compared with the rest of the file. */
export function serviceSchema(files: FileFields) {
  const address = baseUrl('https://api.service.example').optional()
  return z.array(
    z
      .strictObject({
        environment,
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
        authorities: files.path("the path of a PEM file with the CAs of the service's certificates").optional(),
        dailyBudgets: z
          .strictObject({
            notifications: budget(30_000),
            payment: budget(10_000),
            registration: budget(2_000),
            charges: budget(10_000),
          })
          .prefault({}),
        resolveTokens: z.boolean('must be true or false').optional(),
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
export function toService(
  parsed: ParsedService,
  institution: string | null,
  kinds: readonly string[],
): ServiceWithSecret {
  const { baseAddresses, dailyBudgets } = parsed
  const addresses = SERVICE_INTERFACES.map((name) => [name, baseAddresses[name] ?? null] as const)
  return {
    environment: realmOf(institution, parsed.environment),
    baseAddresses: Object.fromEntries(addresses) as ServiceWithSecret['baseAddresses'],
    clientId: parsed.clientId,
    clientSecret: parsed.clientSecret.secret ?? '',
    clientSecretFile: parsed.clientSecret.file,
    certificate: toCertificate(parsed),
    authorities: parsed.authorities ?? null,
    dailyBudgets,
    resolveTokens: parsed.resolveTokens ?? baseAddresses.charges !== undefined,
    resolveWithinMs: parsed.resolveWithin,
    reconcile: {
      ...kindsOf(parsed, kinds),
      everyMs: parsed.reconcile.every,
      readCredentials: parsed.reconcile.readCredentials,
      silentAfterMs: parsed.reconcile.silentAfter ?? null,
      giveUpAfterMs: parsed.reconcile.giveUpAfter,
      retries: parsed.reconcile.retries,
    },
  }
}

function toCertificate({ certificate, privateKey, passwordFile }: ParsedService): ServiceCertificateFiles | null {
  if (certificate === undefined) return null
  if (privateKey !== undefined) return { certificate, privateKey }
  return { pkcs12: certificate, passwordFile: passwordFile ?? null }
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
