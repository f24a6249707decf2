import { expect } from 'vitest'
import type { Exchange } from '../support/api-contract.ts'
import { type Account, type Answer, bodyOf, type ClientTls } from './contract-client.ts'

/** Whatever offers endpoints 18 to 24 of Document 1. */
export interface ContractUnderTest {
  /** Base addresses of the two interfaces. */
  readonly bases: { readonly registration: string; readonly payment: string }
  /** PEM of whom the servers' certificates come from; null: there is no TLS. */
  readonly authorities: string | null
  /** Two that have nothing yet, and know nothing of each other; asked for in each test. */
  newAccounts(): Promise<readonly [Account, Account]>
  /** A good certificate of somebody else; null: certificates are not asked for. */
  readonly strangersTls: ClientTls | null
  /** How scope names of the registration interface begin: `svc`. */
  readonly segment: string
  /** An address that may be registered, another one for each path. */
  urlOf(path: string): string
  /** Addresses that must not be registered, with the `nome` of the error. */
  readonly refusedUrls: readonly (readonly [url: string, nome: string])[]
  /** Status for a registration webhook that is not there: 404 in the documents, 400 in the field. */
  readonly unknownStatus: 400 | 404
  /** Throws when an answer is not what the document of the API promises; left out: there is none. */
  readonly judge?: (exchange: Exchange) => void
  stop(): Promise<void>
}

export type Interface = keyof ContractUnderTest['bases']

export interface Endpoint {
  readonly number: number
  readonly on: Interface
  readonly scope: string
  readonly method: string
  readonly path: string
  readonly body?: (url: string) => object
}

/** In which everything was made. */
export const A_PERIOD = 'dataInicio=2020-01-01T00:00:00Z&dataFim=2099-12-31T23:59:59Z'
/** An identificadorWebhook that no one was given. */
export const NOBODYS = '00000000-0000-4000-8000-000000000000'
export const ENDPOINTS: readonly Endpoint[] = [
  {
    number: 18,
    on: 'registration',
    scope: 'registration.webhook.write',
    method: 'POST',
    path: '/v1/webhook',
    body: (webhookUrl) => ({ webhookUrl }),
  },
  {
    number: 19,
    on: 'registration',
    scope: 'registration.webhook.read',
    method: 'GET',
    path: `/v1/webhook/${NOBODYS}`,
  },
  { number: 20, on: 'registration', scope: 'registration.webhook.read', method: 'GET', path: '/v1/webhooks' },
  {
    number: 21,
    on: 'registration',
    scope: 'registration.webhook.write',
    method: 'DELETE',
    path: `/v1/webhook/${NOBODYS}`,
  },
  {
    number: 22,
    on: 'payment',
    scope: 'payment.webhook.write',
    method: 'PUT',
    path: '/v1/webhook',
    body: (url) => ({ url }),
  },
  { number: 23, on: 'payment', scope: 'payment.webhook.read', method: 'GET', path: `/v1/webhook?${A_PERIOD}` },
  {
    number: 24,
    on: 'payment',
    scope: 'payment.webhook.write',
    method: 'DELETE',
    path: '/v1/webhook',
    body: (url) => ({ url }),
  },
]
export const SCOPES = [...new Set(ENDPOINTS.map(({ scope }) => scope))]

/** The error is one of the contract, with these places of violations. */
export function expectError(
  answer: Answer,
  status: number,
  { nome, places }: { nome?: string; places?: readonly string[] } = {},
): void {
  const { erros, ...error } = bodyOf<{ nome: string; mensagem: string; erros?: { caminho: string }[] }>(answer)
  expect([answer.status, answer.headers['content-type'], error]).toEqual([
    status,
    expect.stringMatching(/^application\/json/),
    { nome: nome ?? expect.stringMatching(/^[a-z]+(_[a-z]+)*$/), mensagem: expect.stringMatching(/^\S.+$/s) },
  ])
  for (const one of erros ?? [])
    expect(one).toEqual({ caminho: expect.any(String), mensagem: expect.stringMatching(/./) })
  if (places !== undefined) expect(erros?.map(({ caminho }) => caminho).sort()).toEqual([...places].sort())
  expect(answer.text).not.toMatch(/\.ts:|node_modules/)
}
