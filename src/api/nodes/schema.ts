import { z } from 'zod'
import { configurationSchema, time } from '../http/schema-parts.ts'

export const nodeSchema = z
  .strictObject({
    name: z.string().describe('`node.name` of its configuration'),
    version: z.string(),
    startedAt: time,
    seenAt: time.describe('Its last sign of life. Like all times of nodes it is by the clock of the database'),
    living: z.boolean().describe('false: it has been silent for 15 s, and others have taken over'),
    jobs: z.boolean().describe('It runs what one node runs for all: retention, replays, alarms, tokens'),
    destinations: z.array(z.string()).describe('Ids of the destinations to which it sends'),
    differs: z
      .array(z.string())
      .describe(
        'What is not as on most living nodes: `version`, `kinds`, `destinations`, `api.oidc`, or certificates as in `/v1/certificates`',
      ),
    configuration: configurationSchema.nullable().describe('null: an older version, which does not say'),
  })
  .meta({ id: 'Node', description: 'A gateway process that uses the database.' })

export const nodeListSchema = z.strictObject({ data: z.array(nodeSchema) }).meta({ id: 'NodeList' })
