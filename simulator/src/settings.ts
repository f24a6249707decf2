import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { parse } from 'yaml'
import { z } from 'zod'
import { messageOf, SimulatorError } from './errors.ts'
import { INTERFACES } from './interfaces.ts'
import { violationWords } from './violation-words.ts'

const hostName = z
  .string()
  .regex(/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'is no host name in lower case')
  .refine((name) => isIP(name) === 0, 'is an address: only names')

const namesByInterface = z.partialRecord(z.enum(INTERFACES), z.array(hostName)).superRefine((names, { addIssue }) => {
  const all = Object.entries(names).flatMap(([name, hosts = []]) => [...new Set(hosts)].map((host) => ({ name, host })))
  for (const { name, host } of all) {
    const first = all.find((one) => one.host === host)
    if (first === undefined || first.name === name) continue
    addIssue({ code: 'custom', path: [name], message: `${host} is a host name of ${first.name} already` })
  }
})

/** The settings file of the simulator, with its defaults. */
export const settingsSchema = z.strictObject({
  servicePathSegment: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'must be lower-case letters, digits and hyphens')
    .default('svc')
    .describe('Segment of /v2/svc and of the scope names'),
  hostNames: z
    .strictObject({ production: namesByInterface.default({}), sandbox: namesByInterface.default({}) })
    .default({ production: {}, sandbox: {} })
    .describe('Host names at which an interface answers without its path prefix'),
  errors: z.enum(['field', 'strict']).default('field').describe('Statuses as in the field, or as the documents say'),
  timeZone: z.string().refine(isTimeZone, 'is no IANA time zone').default('America/Sao_Paulo'),
  tokens: z
    .strictObject({
      lifetimeSeconds: z.int().min(1).default(3600),
      chargesLifetimeSeconds: z.int().min(1).default(600),
    })
    .prefault({}),
  rateLimit: z
    .strictObject({ perSecond: z.number().positive(), burst: z.int().min(1) })
    .nullable()
    .default(null)
    .describe('Requests of each application; null: not limited'),
  bills: z
    .strictObject({
      scheduledTime: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM')
        .default('08:00')
        .describe('Local time at which scheduled payments are processed'),
      processingSeconds: z
        .int()
        .min(0)
        .default(30)
        .describe('Simulated seconds from the processing of a payment to its execution'),
      settlementSeconds: z
        .int()
        .min(0)
        .default(60)
        .describe('Simulated seconds from the execution of a payment to its settlement'),
    })
    .prefault({}),
  statements: z
    .strictObject({
      processingSeconds: z
        .int()
        .min(0)
        .default(30)
        .describe('Simulated seconds from the request of a statement to its file'),
    })
    .prefault({}),
  webhooks: z
    .strictObject({
      probe: z.enum(['registration', 'always']).default('registration'),
      retryMinutes: z
        .union([z.enum(['short', 'long']), z.array(z.number().min(0)).max(50)])
        .default('long')
        .describe('Minutes before each further try'),
      timeoutSeconds: z.int().min(1).max(300).default(60),
      openBankingTimeoutSeconds: z.int().min(1).max(300).default(25),
      testBody: z.enum(['{"evento":"teste_webhook"}', '{}', '']).default('{"evento":"teste_webhook"}'),
      allowPublicAddresses: z.boolean().default(false).describe('Call receivers outside loopback and private networks'),
      paymentExtras: z.string().min(1).default('extras').describe('Last member of a payment callback'),
    })
    .prefault({}),
})

export type Settings = z.infer<typeof settingsSchema>

/** @throws SimulatorError with every mistake of the file */
export function readSettings(file: string | null): Settings {
  if (file === null) return settingsSchema.parse({})
  const parsed = settingsSchema.safeParse(parseFile(file) ?? {}, { error: violationWords })
  if (parsed.success) return parsed.data
  const mistakes = parsed.error.issues.map(({ path, message }) => `  ${path.join('.') || 'the file'}: ${message}`)
  throw new SimulatorError(
    'settings_invalid',
    `${file} has mistakes; docs/start.md of the simulator lists the settings:\n${mistakes.join('\n')}`,
  )
}

function parseFile(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new SimulatorError(
      'settings_invalid',
      `${file} cannot be read as YAML: ${messageOf(cause)}. Give --settings a YAML file.`,
      {
        cause,
      },
    )
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
