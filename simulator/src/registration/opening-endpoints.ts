import { z } from 'zod'
import type { Application } from '../applications.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { withSegment } from '../http/path-segment.ts'
import { problem, problemSchema, scopeErrorSchema } from '../http/service-error.ts'
import type { Site } from '../site.ts'
import { requireOpening } from './opening-checks.ts'
import { credentialsSchema, GRANTABLE_SCOPES, invalidOpening, openedSchema, openingBody } from './opening-schema.ts'
import { defineOpeningTask, openingBy, requestOpening } from './openings.ts'

/** JSON Schema has no format of this name. */
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/)

/** Openings of accounts for end clients: Document 1, endpoints 13 to 15. */
export function openingEndpoints(site: Site): Endpoint[] {
  const { applications, settings } = site
  defineOpeningTask(site)

  /** The application that an opening of the integrator made. @throws ServiceError 404, 412 */
  function openedApplication(integrator: Application, id: string | undefined): Application {
    const opening = openingBy(site, id ?? '')
    if (opening === undefined || opening.integrator !== integrator.account)
      throw problem(404, 'conta_nao_encontrada', 'Nenhuma conta simplificada tem este identificador.')
    if (opening.state === 'processing') throw problem(412, 'conta_em_processamento', 'A conta ainda está sendo aberta.')
    const opened = opening.clientId === null ? undefined : applications.find(opening.clientId)
    if (opened !== undefined) return opened
    throw problem(412, 'conta_nao_aprovada_ou_recusada', 'O cliente final não aprovou a abertura da conta.')
  }

  const refusals = {
    404: { description: 'No opening of the account has this id' },
    412: { description: 'The end client has not accepted, or the account is not there yet' },
  }
  return [
    endpoint({
      number: '1:13',
      id: 'createSimplifiedAccount',
      method: 'post',
      path: '/v1/conta-simplificada',
      scope: 'svc.registration.write',
      summary: 'Ask an end client to open an account',
      body: openingBody(GRANTABLE_SCOPES.map((scope) => withSegment(scope, settings.servicePathSegment))),
      answers: {
        200: { description: 'The end client receives the link', schema: openedSchema },
        403: {
          description: 'The token lacks the scope, or a requested scope is not the application’s to grant',
          schema: z.union([scopeErrorSchema, problemSchema]),
        },
        409: { description: 'Another opening, a refusal or another person is in the way' },
        412: { description: 'The account has no webhook of the registration interface' },
      },
      invalid: (error, _part, body) => invalidOpening(error, body),
      run({ body, application }) {
        requireOpening(site, application, body)
        const { id } = requestOpening(site, applications.accountOf(application), body)
        return { status: 200, json: { contaSimplificada: { identificador: id } } }
      },
    }),
    endpoint({
      number: '1:14',
      id: 'showCredentials',
      method: 'get',
      path: '/v1/conta-simplificada/:idContaSimplificada/credenciais',
      scope: 'svc.registration.read',
      summary: 'Show the credentials of an opened account',
      answers: { 200: { description: 'The credentials', schema: credentialsSchema }, ...refusals },
      run({ params, application }) {
        const opened = openedApplication(application, params.idContaSimplificada)
        const { number: numero, digit: digito, payeeCode } = applications.accountOf(opened)
        const { clientId, clientSecret } = opened
        const escopos = applications.scopesOf(opened)
        return {
          status: 200,
          json: { clientId, clientSecret, conta: { numero, digito, payeeCode }, escopos, ativo: true },
        }
      },
    }),
    endpoint({
      number: '1:15',
      id: 'createCertificate',
      method: 'post',
      path: '/v1/conta-simplificada/:idContaSimplificada/certificado',
      scope: 'svc.registration.read',
      summary: 'Make a client certificate of an opened account; those made before stay valid',
      answers: {
        201: { description: 'A PKCS#12 file with an empty password, in base64', schema: base64 },
        ...refusals,
      },
      async run({ params, application }) {
        const { name } = applications.accountOf(openedApplication(application, params.idContaSimplificada))
        const { environment } = site
        const { p12Base64, fingerprint } = await site.folder.issueAccountCertificate({ environment, name })
        // Read again: another request may have added one in the meantime.
        const account = applications.accountOf(openedApplication(application, params.idContaSimplificada))
        applications.addAccount({ ...account, fingerprints: [...account.fingerprints, fingerprint] })
        return { status: 201, json: p12Base64 }
      },
    }),
  ]
}
