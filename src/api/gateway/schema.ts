import { z } from 'zod'
import { READINESS_CHECKS } from '../../domain/readiness.ts'
import { digits, text } from '../http/query.ts'
import { configurationSchema } from '../http/schema-parts.ts'

export const aliveSchema = z
  .strictObject({ status: z.literal('alive'), version: z.string() })
  .meta({ id: 'Alive', description: 'The process answers.' })

const CHECKS = Object.fromEntries(READINESS_CHECKS.map((name) => [name, z.string()]))

export const readinessSchema = z
  .strictObject({
    status: z.enum(['ready', 'not ready']),
    reasons: z.array(z.string()).describe('Why the gateway is not ready; empty when it is'),
    checks: z.strictObject(CHECKS).describe('Result of each check: "good", or the problem'),
    warnings: z
      .array(z.string())
      .describe('Problems that need an operator but do not affect readiness, such as an implausible clock'),
    configuration: configurationSchema.nullable().describe('null: no gateway runs'),
  })
  .meta({ id: 'Readiness', description: 'Whether callbacks are received and stored.' })

const listenerAddress = z.strictObject({ host: z.string(), port: z.number() }).optional()

const connectionCounts = z.strictObject({
  callbacks: z.int(),
  charges: z.int(),
  api: z.int(),
  destinations: z.int(),
})

export const aboutSchema = z
  .strictObject({
    version: z.string(),
    startedAt: z.string().describe('When the process started, RFC 3339'),
    database: z.strictObject({
      file: z.string().describe('Its path; of PostgreSQL its address, without user and password'),
      inode: z
        .string()
        .nullable()
        .describe('Device and inode number; null: the file does not exist, or it is PostgreSQL'),
    }),
    configuration: configurationSchema
      .extend({
        file: z.string(),
        problem: z.string().nullable().describe('Why the last reload took nothing up; null: it did'),
      })
      .nullable()
      .describe('null: no gateway runs'),
    passed: z
      .strictObject({ callbacks: listenerAddress, charges: listenerAddress, api: listenerAddress })
      .describe('Addresses of sockets that a service manager passed; they replace the configured host and port'),
    descriptors: z
      .strictObject({
        limit: z.int().nullable().describe('RLIMIT_NOFILE; null: unknown'),
        files: z.int().describe('Reserved for files, the database and commands'),
        wanted: connectionCounts.describe('Configured connection limits'),
        allowed: connectionCounts.describe('Effective connection limits below RLIMIT_NOFILE'),
      })
      .nullable()
      .describe('Budget of file descriptors; null: no gateway runs'),
  })
  .meta({ id: 'Gateway', description: 'The running gateway and its database.' })

export const ownConnectionSchema = z.object({
  port: digits({ min: 1, max: 65_535, most: 5 }, () => 'a port: a whole number from 1 to 65535').describe(
    'The port that the command connects from',
  ),
})

const fileProblemSchema = z.strictObject({
  what: z.string().describe('What the file is for, in words'),
  problem: z.string().describe('Why it cannot be used, in words'),
  file: z.string().nullable().describe('null: the problem names it'),
  use: z.enum(['earlier', 'none']).describe('earlier: its earlier content stays in use; none: its callers are refused'),
})

export const renewedSchema = z
  .strictObject({
    renewed: z.array(z.string()).describe('What was renewed, in words'),
    problems: z.array(fileProblemSchema).describe('What was not taken up. Everything else was'),
  })
  .meta({ id: 'Renewed' })

export const reloadedSchema = renewedSchema
  .extend({
    file: z.string().describe('The configuration file'),
    needRestart: z.array(z.string()).describe('Changed keys that take effect only after a restart'),
  })
  .meta({ id: 'ReloadedConfiguration' })

export const trustInUseSchema = z
  .strictObject({
    used: z.array(
      z.strictObject({
        chain: z.string().describe('The file'),
        named: z.string().describe('`chain` of its entry in the configuration, to which the file belongs'),
        environment: z.string().describe('With its institution: `bank-a/production`'),
        pem: z.string().describe('The content in use. The file may have another by now'),
      }),
    ),
    problems: z.array(fileProblemSchema.extend({ environment: z.string() }).omit({ what: true })),
  })
  .meta({ id: 'TrustInUse', description: 'The chains that callers are verified by.' })

export const expectedFileSchema = z.strictObject({
  file: text('Path of the configuration file that the caller means.'),
  sha256: text('SHA-256 of its content, hexadecimal.'),
})

export const reloadQuerySchema = z.strictObject({
  change: text('What was changed in the files, in words, for the log of actions.'),
})
