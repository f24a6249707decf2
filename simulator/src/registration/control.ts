import { z } from 'zod'
import { type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import { isCalendarDate } from '../rules/calendar-date.ts'
import { isCnpj, isCpf } from '../rules/tax-ids.ts'
import type { Site } from '../site.ts'
import { type AnswerOutcome, accept, DECISIONS, refuse } from './end-client-answer.ts'
import { linkOf, type Opening, openingBy, openingsOf, tierOf } from './openings.ts'
import { registryOf } from './registry.ts'

const openingSchema = z.object({
  identificador: z.uuid(),
  state: z.enum(['requested', 'refused', 'processing', 'open']),
  tier: z.enum(['individual', 'business']),
  integrator: z.string().describe('Number of the account that asked'),
  cpf: z.string(),
  cnpj: z.string().nullable(),
  name: z.string(),
  scopes: z.array(z.string()).describe('Requested scopes, which the application gets'),
  link: z.string().describe('Where the end client accepts or refuses'),
  requestedAt: z.iso.datetime(),
  answeredAt: z.iso.datetime().nullable(),
  as: z.enum(DECISIONS).nullable(),
  account: z.string().nullable().describe('Number of the opened account'),
  clientId: z.string().nullable(),
})

const choiceSchema = z.strictObject({
  as: z
    .enum(DECISIONS)
    .optional()
    .describe('Default: a new account, or a secondary one where the end client has an account'),
  account: z.string().optional().describe('Account of the application; default: the only one'),
})

const entryMembers = {
  active: z.boolean().default(true).describe('false: cpf_inativo or cnpj_inativo'),
  name: z.string().min(1).optional(),
  birthDate: z.string().refine(isCalendarDate, 'must be a date, YYYY-MM-DD').optional(),
  motherName: z.string().min(1).optional(),
}
const entrySchema = z.object({ document: z.string(), ...entryMembers })

/** Openings of accounts, and the public registry that they are checked against. */
export function registrationControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'listOpenings',
      method: 'get',
      path: '/openings',
      summary: 'List the account openings, oldest first',
      answers: { 200: { description: 'The openings', schema: z.object({ openings: z.array(openingSchema) }) } },
      run: ({ site }) => ({
        status: 200,
        json: { openings: openingsOf(site).map((opening) => viewOf(site, opening)) },
      }),
    }),
    controlEndpoint({
      id: 'acceptOpening',
      method: 'post',
      path: '/openings/:identificador/accept',
      summary: 'Accept an opening as its end client; the account is there a minute of simulated time later',
      body: choiceSchema,
      answers: answers('Accepted'),
      run: ({ params, body, site }) => answered(site, params.identificador, (opening) => accept(site, opening, body)),
    }),
    controlEndpoint({
      id: 'refuseOpening',
      method: 'post',
      path: '/openings/:identificador/refuse',
      summary: 'Refuse an opening as its end client',
      answers: answers('Refused'),
      run: ({ params, site }) => answered(site, params.identificador, (opening) => refuse(site, opening)),
    }),
    controlEndpoint({
      id: 'listRegistry',
      method: 'get',
      path: '/registry',
      summary: 'List what the public registry knows of tax ids; every other one is active and fits every request',
      answers: { 200: { description: 'The entries', schema: z.object({ entries: z.array(entrySchema) }) } },
      run: ({ site }) => ({ status: 200, json: { entries: registryOf(site).list() } }),
    }),
    controlEndpoint({
      id: 'setRegistryEntry',
      method: 'put',
      path: '/registry/:document',
      summary: 'Set what the public registry knows of a CPF or CNPJ',
      body: z.strictObject(entryMembers),
      answers: { 200: { description: 'The entry', schema: entrySchema } },
      run({ params: { document = '' }, body, site }) {
        if (!isCpf(document) && !isCnpj(document)) throw new ControlError(400, `${document} is no CPF or CNPJ`)
        const entry = { document, ...body }
        registryOf(site).put(document, entry)
        return { status: 200, json: entry }
      },
    }),
    controlEndpoint({
      id: 'deleteRegistryEntry',
      method: 'delete',
      path: '/registry/:document',
      summary: 'Let a CPF or CNPJ be active and fit every request again',
      answers: { 204: { description: 'Deleted' }, 404: { description: 'No such entry' } },
      run({ params: { document = '' }, site }) {
        if (!registryOf(site).delete(document)) throw new ControlError(404, `the registry has no entry ${document}`)
        return { status: 204 }
      },
    }),
  ]
}

function answers(description: string) {
  return {
    200: { description, schema: openingSchema },
    404: { description: 'No opening has this id' },
    409: { description: 'The end client has answered already' },
  }
}

/** @throws ControlError */
function answered(site: Site, id: string | undefined, answer: (opening: Opening) => AnswerOutcome) {
  const find = () => openingBy(site, id ?? '')
  const opening = find()
  if (opening === undefined) throw new ControlError(404, `no opening has the id ${id}: see GET /control/openings`)
  const outcome = answer(opening)
  if (!outcome.ok) throw new ControlError(outcome.status, outcome.reason)
  return { status: 200, json: viewOf(site, find() ?? opening) }
}

function viewOf(site: Site, opening: Opening) {
  const { id, state, integrator, endClient, scopes, requestedAt, answeredAt, decision, clientId } = opening
  return {
    identificador: id,
    state,
    tier: tierOf(opening),
    integrator,
    cpf: endClient.cpf,
    cnpj: endClient.cnpj ?? null,
    name: endClient.nomeCompleto,
    scopes,
    link: linkOf(site, opening),
    requestedAt: new Date(requestedAt).toISOString(),
    answeredAt: answeredAt === null ? null : new Date(answeredAt).toISOString(),
    as: decision?.as ?? null,
    account: (clientId === null ? undefined : site.applications.find(clientId)?.account) ?? null,
    clientId,
  }
}
