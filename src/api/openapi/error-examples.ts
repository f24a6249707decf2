import { STATUS_CODES } from '../../platform/http.ts'
import { HTTP_ERROR_TEXTS } from '../http/problem.ts'
import { ChargesApiError } from '../service-api/charges-problem.ts'
import { ServiceApiError, type ServiceApiStatus } from '../service-api/problem.ts'
import { SENTENCES, UNKNOWN_ID, UNKNOWN_URL } from '../service-api/sentences.ts'

/** Code and text of a problem, by status. */
const PROBLEMS: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  401: ['unauthorized', 'the token is not valid: get another one'],
  403: ['insufficient_scope', 'the token needs another scope'],
  404: ['not_found', 'there is no such object'],
  406: ['not_acceptable', 'the answer has another content type'],
  409: ['conflict', 'the state of the object does not allow this'],
  410: ['gone', 'events after this cursor are gone before they were read'],
  421: ['misdirected', 'the Host header does not name this API'],
  422: ['address_forbidden', 'the address is not allowed'],
  429: ['too_many_requests', 'too many requests are waiting'],
  500: ['internal', 'Internal error'],
  503: ['store_unavailable', 'the store is unavailable'],
}
const TOKEN_ERRORS: Readonly<Record<number, readonly [error: string, description: string]>> = {
  401: ['invalid_client', 'the credentials are not valid'],
  429: ['slow_down', 'too many failures: wait 5 s'],
}
const TEXT = 'the request is not valid: see its errors'

const UNKNOWN_ID_ERROR = ['identificador_webhook', UNKNOWN_ID] as const

/** Name and sentence of the service's contract where a status has others than its usual. */
const OF_SERVICE: Readonly<Record<string, readonly [nome: string, mensagem: string]>> = {
  'registerRegistrationWebhook 409': ['url_cadastrada', 'Esta URL já está cadastrada.'],
  'registerRegistrationWebhook 400': ['protocolo_da_url', 'A URL deve usar https.'],
  'registerPaymentWebhook 400': ['protocolo_da_url', 'A URL deve usar https.'],
  'showRegistrationWebhook 404': UNKNOWN_ID_ERROR,
  'listRegistrationWebhooks 400': ['data_invalida', 'O fim do período é anterior ao início.'],
  'listPaymentWebhooks 400': ['data_invalida', 'O fim do período é anterior ao início.'],
  'deleteRegistrationWebhook 404': UNKNOWN_ID_ERROR,
  'deletePaymentWebhook 404': ['webhook_nao_encontrado', UNKNOWN_URL],
  'deletePaymentWebhook 409': ['conflito', 'Clientes diferentes cadastraram esta URL.'],
}

/** The body of an error. @param schema name of its schema; @param id operation id. @returns undefined for another schema */
export function errorExample(schema: string, id: string, status: number): object | undefined {
  const [code, detail] = PROBLEMS[status] ?? ['request_invalid', HTTP_ERROR_TEXTS[status] ?? TEXT]
  if (schema === 'Problem')
    return {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      code,
      detail,
      requestId: 'req_0123456789',
      ...(status === 410 && { next: 'cur_1c' }),
    }
  if (schema === 'TokenError') {
    const [error, error_description] = TOKEN_ERRORS[status] ?? ['invalid_request', detail]
    return { error, error_description }
  }
  if (schema === 'ChargesError') {
    const { code, error, description } = new ChargesApiError(status, detail)
    return { code, error, error_description: description }
  }
  if (schema === 'MissingScope') return { error: 'insufficient_scope', error_description: detail }
  if (schema !== 'ServiceApiError') return undefined
  const known = status as ServiceApiStatus
  const [nome, mensagem] = OF_SERVICE[`${id} ${status}`] ?? [new ServiceApiError(known, '').nome, SENTENCES[known]]
  return { nome, mensagem }
}
