import { z } from 'zod'
import { SERVICE_INTERFACES } from '../../domain/service/service-interfaces.ts'
import { environment, institution, time } from '../http/schema-parts.ts'

const failure = z.strictObject({
  at: time,
  code: z.string().describe('Kind of the failure, such as unreachable, credentials_refused or rate_limited'),
  error: z.string().describe('Cause and next step'),
  final: z.boolean().describe('Calls fail until somebody changes the configuration or the account'),
})

const interfaceStatus = z
  .strictObject({
    interface: z.enum(SERVICE_INTERFACES),
    baseAddress: z.string(),
    tokenUntil: time.nullable().describe('Until when the current access token is used; null: there is none'),
    lastSuccessAt: time.nullable().describe('null: no call has succeeded since the start'),
    failing: z.boolean().describe('The service has answered no call since the last failure'),
    lastFailure: failure.nullable(),
  })
  .meta({ id: 'ServiceInterface', description: 'An interface of the service that the gateway calls.' })

const count = z.int().min(0)

export const serviceStatusSchema = z
  .strictObject({
    institution,
    environment,
    interfaces: z.array(interfaceStatus).describe('Those that have a base address'),
    certificate: z
      .strictObject({
        subject: z.string().nullable(),
        notAfter: time.nullable(),
        problem: z.string().nullable().describe('Why it cannot be used, and what to do'),
      })
      .nullable()
      .describe('The certificate of your account; null: none is configured'),
    authoritiesProblem: z.string().nullable().describe('Why the configured authorities cannot be used'),
    resolveTokens: z.boolean().describe('Whether the entries of charge tokens are asked for'),
    notificationBudget: z
      .strictObject({
        limit: count.nullable().describe('null: unlimited'),
        used: count,
        left: count.nullable().describe('null: unlimited'),
      })
      .describe('Queries of charge tokens on this UTC day'),
    waitingTokens: z
      .strictObject({
        count,
        oldestAt: time.nullable().describe('When the first of those that are no events yet was received'),
      })
      .describe('Charge tokens whose entries are still to be asked for'),
  })
  .meta({ id: 'ServiceStatus', description: "The gateway as the service's client, in one environment." })

export const serviceStatusListSchema = z
  .strictObject({ data: z.array(serviceStatusSchema) })
  .meta({ id: 'ServiceStatusList' })
