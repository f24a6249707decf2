import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Environment } from '../interfaces.ts'
import { INTERFACES, type Interface } from '../interfaces.ts'

/** A payment account of the simulated service. */
export interface Account {
  readonly number: string
  readonly digit: string
  readonly name: string
  /** CPF or CNPJ, digits only. */
  readonly document: string
  /** 32 hexadecimal characters (Document 2). */
  readonly payeeCode: string
  /** SHA-256 of the account's client certificate, as Node writes it: upper case, with colons. */
  readonly certificateFingerprint256: string
}

/**
 * An application of an account. Its credentials are valid at the interfaces of its environment that the file names, or at all of them;
 * a token is valid only at the interface that issued it. The charges interface has no scopes.
 */
export interface Application {
  readonly environment: Environment
  readonly clientId: string
  readonly clientSecret: string
  readonly account: Account
  /** With the neutral segment `svc`, which the settings replace. */
  readonly scopes: readonly string[]
  /** Interfaces that take its credentials; left out: all, as at the service. */
  readonly interfaces?: readonly Interface[] | undefined
}

/** The scopes of Document 1: those of its endpoints, then the others that an opening can grant. */
export const SCOPES: readonly string[] = [
  ...['svc.pix.evp.write', 'svc.pix.evp.read', 'svc.balance.read', 'svc.settings.write', 'svc.settings.read'],
  ...['svc.reports.write', 'svc.reports.read'],
  ...['svc.barcode.read', 'svc.barcode.pay.write', 'svc.barcode.pay.read'],
  ...['payment.webhook.write', 'payment.webhook.read'],
  ...['svc.registration.write', 'svc.registration.read'],
  ...['svc.registration.webhook.write', 'svc.registration.webhook.read'],
  ...['svc.opb.config.write', 'svc.opb.config.read'],
  ...['cob.write', 'cob.read', 'pix.write', 'pix.read', 'pix.send', 'webhook.write', 'webhook.read'],
  ...['payloadlocation.write', 'payloadlocation.read', 'svc.pix.send.read'],
]

const accountSchema = z.strictObject({
  /** Name of the account's certificate files, without the environment. */
  files: z.string().regex(/^[a-z0-9-]{1,40}$/),
  number: z.string().regex(/^\d{1,12}$/),
  digit: z.string().regex(/^\d$/),
  name: z.string().min(1),
  document: z.string().regex(/^(\d{11}|[0-9A-Z]{12}\d{2})$/),
  payeeCode: z.string().regex(/^[0-9a-f]{32}$/),
})

const applicationSchema = z.strictObject({
  clientId: z.string().regex(/^Client_Id_[0-9a-f]{40}$/),
  clientSecret: z.string().regex(/^Client_Secret_[0-9a-f]{40}$/),
  account: z.string(),
  scopes: z.array(z.string().regex(/^[a-z]+(\.[a-z]+)+$/)),
  interfaces: z.array(z.enum(INTERFACES)).min(1).optional(),
})

const environmentSchema = z
  .strictObject({ accounts: z.array(accountSchema).min(1), applications: z.array(applicationSchema).min(1) })
  .superRefine(({ accounts, applications }, context) => {
    const numbers = accounts.map(({ number }) => number)
    const add = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message })
    if (new Set(numbers).size < numbers.length) add(['accounts'], 'two accounts have the same number')
    for (const [index, { account }] of applications.entries())
      if (!numbers.includes(account)) add(['applications', index, 'account'], 'no account has this number')
  })

const fileSchema = z.strictObject({ production: environmentSchema, sandbox: environmentSchema }).refine(
  ({ production, sandbox }) => {
    const ids = [...production.applications, ...sandbox.applications].map(({ clientId }) => clientId)
    return new Set(ids).size === ids.length
  },
  { message: 'two applications have the same clientId' },
)

export type AccountEntry = Readonly<z.infer<typeof accountSchema>>
/** The contents of `applications.json`. */
export type ApplicationsFile = Readonly<z.infer<typeof fileSchema>>

/** Two accounts in each environment, so that the certificate of one can be tried with the token of the other. */
const FIRST_ACCOUNTS: Readonly<Record<Environment, readonly Omit<AccountEntry, 'payeeCode'>[]>> = {
  production: [
    { files: 'integrator', number: '100001', digit: '3', name: 'Integrator', document: '11222333000181' },
    { files: 'second', number: '100002', digit: '6', name: 'Second account', document: '52998224725' },
  ],
  sandbox: [
    { files: 'integrator', number: '200001', digit: '4', name: 'Integrator (sandbox)', document: '11222333000181' },
    { files: 'second', number: '200002', digit: '7', name: 'Second account (sandbox)', document: '52998224725' },
  ],
}

/** Accounts and applications of a first start, with new ids and secrets; every application has all scopes. */
export function makeApplications(): ApplicationsFile {
  return { production: makeEnvironment('production'), sandbox: makeEnvironment('sandbox') }
}

function makeEnvironment(environment: Environment): ApplicationsFile[Environment] {
  const accounts = FIRST_ACCOUNTS[environment].map((account) => ({ ...account, payeeCode: hex(16) }))
  const applications = accounts.map(({ number }) => ({ ...makeCredentials(), account: number, scopes: [...SCOPES] }))
  return { accounts, applications }
}

/** An id and a secret in the form that the service issues. */
export function makeCredentials(): { clientId: string; clientSecret: string } {
  return { clientId: `Client_Id_${hex(20)}`, clientSecret: `Client_Secret_${hex(20)}` }
}

/** The contents, or what is wrong with the text; that never quotes the text, which has secrets. */
export function parseApplications(text: string): { value: ApplicationsFile } | { problem: string } {
  const json = jsonOf(text)
  if (json === undefined) return { problem: 'it is not JSON' }
  const result = fileSchema.safeParse(json)
  if (result.success) return { value: result.data }
  const [issue] = result.error.issues
  const place = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
  return { problem: `${place}${issue?.message ?? 'invalid'}` }
}

/** undefined for a text that is not JSON. The message of JSON.parse would quote it. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}
