import { z } from 'zod'
import { READINESS_CHECKS } from '../../domain/readiness.ts'

export const aliveSchema = z
  .strictObject({ status: z.literal('alive'), version: z.string() })
  .meta({ id: 'Alive', description: 'The process answers.' })

const CHECKS = Object.fromEntries(READINESS_CHECKS.map((name) => [name, z.string()]))

export const readinessSchema = z
  .strictObject({
    status: z.enum(['ready', 'not ready']),
    reasons: z.array(z.string()).describe('What keeps it from its work; empty when it is ready'),
    checks: z.strictObject(CHECKS).describe('Each part that must be as it should: "good", or what is wrong with it'),
    warnings: z.array(z.string()).describe('What an operator must look at, such as an implausible clock'),
  })
  .meta({ id: 'Readiness', description: 'Whether callbacks are taken and kept.' })

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
    database: z.strictObject({
      file: z.string(),
      inode: z.string().nullable().describe('Its device and number; null: it is not there'),
    }),
    passed: z
      .strictObject({ callbacks: listenerAddress, charges: listenerAddress, api: listenerAddress })
      .describe('Where the listeners are whose sockets a service manager passed: it replaces their host and port'),
    descriptors: z
      .strictObject({
        limit: z.int().nullable().describe('RLIMIT_NOFILE; null: it cannot be read'),
        files: z.int().describe('Kept free for files, the database and commands'),
        wanted: connectionCounts.describe('Connections that the configuration allows'),
        allowed: connectionCounts.describe('Connections that fit below the limit'),
      })
      .nullable()
      .describe('How file descriptors are shared out; null: no gateway runs'),
  })
  .meta({ id: 'Gateway', description: 'What runs here and whose database it is.' })

export const renewedSchema = z
  .strictObject({ renewed: z.array(z.string()).describe('What is another one now, in words') })
  .meta({ id: 'Renewed' })
