import type { PortariaError } from '../../platform/errors.ts'
import type { DestinationEndpointsOptions } from '../destinations/options.ts'
import { refusalOfUrl } from './app-destination.ts'
import { ServiceApiError } from './problem.ts'

/** The URL of a webhook, and the name of its member in the body. */
export interface GivenUrl {
  readonly url: string
  readonly member: string
}

/** @throws ServiceApiError 400 for a URL to which the gateway does not forward, with the service's name where it has one (service-errors.md) */
export async function requireUsableUrl(
  { url, member }: GivenUrl,
  check: DestinationEndpointsOptions['checkUrl'],
): Promise<void> {
  const refusal = await refusalOfUrl(url, check)
  if (refusal === null) return
  const [nome, words] = fieldNameOf(url, refusal)
  throw new ServiceApiError(400, words, { nome, violations: [{ pointer: `/${member}`, words }], cause: refusal })
}

function fieldNameOf(url: string, { code, cause }: PortariaError): readonly [nome: string, words: string] {
  if (new URL(url).protocol !== 'https:') return ['protocolo_da_url', 'A URL deve usar https.']
  // Of the guarded connector's ConnectFailure, which this room does not know by its class.
  if (cause instanceof Error && 'stage' in cause && cause.stage === 'name')
    return ['url_informada_nao_existe', 'O nome do servidor da URL não foi encontrado no DNS.']
  if (code === 'address_forbidden')
    return ['webhook_invalido', 'O servidor da URL tem um endereço para o qual o gateway não envia.']
  return [
    'webhook_invalido',
    'A URL pode ter até 2048 caracteres, e não pode ter usuário, senha, fragmento (#), espaços nem *** como valor.',
  ]
}
