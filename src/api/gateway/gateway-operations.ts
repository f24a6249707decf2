import { z } from 'zod'
import { READINESS_CHECKS } from '../../domain/readiness.ts'
import type { Operation } from '../http/endpoint.ts'

const aliveSchema = z
  .strictObject({ status: z.literal('alive'), version: z.string() })
  .meta({ id: 'Alive', description: 'The process answers.' })

const CHECKS = Object.fromEntries(READINESS_CHECKS.map((name) => [name, z.string()]))

const readinessSchema = z
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

const aboutSchema = z
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

const renewedSchema = z
  .strictObject({ renewed: z.array(z.string()).describe('What is another one now, in words') })
  .meta({ id: 'Renewed' })

const open = { method: 'get', access: 'public', errors: 'problem' } as const

/** For everybody. */
export const HEALTH_OPERATIONS: readonly Operation[] = [
  {
    ...open,
    ...{ id: 'isAlive', path: '/healthz', tag: 'Operations' },
    summary: 'Ask whether the gateway lives',
    answers: { 200: { description: 'It does.', schema: aliveSchema } },
  },
  {
    ...open,
    ...{ id: 'isReady', path: '/readyz', tag: 'Operations' },
    summary: 'Ask whether the gateway is ready',
    answers: {
      200: { description: 'It is.', schema: readinessSchema },
      503: { description: 'It is not, and says why.', schema: readinessSchema, type: 'application/json' },
    },
  },
  {
    ...open,
    ...{ id: 'showContract', path: '/openapi.json', tag: 'Contract' },
    summary: 'Get this document',
    description: 'OpenAPI 3.1, as this gateway is configured.',
    answers: { 200: { description: 'This document.', type: 'application/json' } },
  },
  {
    ...open,
    ...{ id: 'getClientChain', path: '/certificates/chain.pem', tag: 'Registrations' },
    summary: 'Get the chain of the certificate that destinations are shown',
    description:
      'For servers that ask for a client certificate: install it as a trusted chain, as with the one of the service.',
    answers: {
      200: { description: 'PEM.', type: 'application/x-pem-file' },
      404: { description: 'No client certificate is configured.' },
    },
  },
]

/** For commands, which ask on the control socket. */
export const CONTROL_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'showGateway', method: 'get', path: '/v1/gateway' },
    ...{ tag: 'Operations', access: 'scopes', errors: 'problem' },
    summary: 'Show what runs here',
    answers: { 200: { description: 'This gateway.', schema: aboutSchema } },
  },
]

export const RELOAD_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'reloadGateway', method: 'post', path: '/v1/gateway/reload' },
    ...{ tag: 'Operations', access: 'scopes', errors: 'problem' },
    summary: 'Read certificates and chains anew',
    answers: {
      200: { description: 'Everything was taken up.', schema: renewedSchema },
      422: { description: 'Not everything could be used; what was in use still is.' },
    },
  },
]
