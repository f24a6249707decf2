import { problem, type ServiceError } from '../http/service-error.ts'
import type { Settings } from '../settings.ts'
import type { AddressFault } from './two-requests.ts'

/** Names in the field (service-errors.md, endpoint 18), and what happened in words. */
const FAULTS: Readonly<Record<AddressFault | 'not_https', readonly [string, string]>> = {
  not_https: ['protocolo_da_url', 'A URL deve usar https.'],
  accepted_without_certificate: [
    'mtls_nao_configurado',
    'O servidor aceitou uma requisição sem certificado de cliente.',
  ],
  unreachable: ['url_inacessivel', 'Não foi possível conectar ao servidor da URL.'],
  name_unknown: ['url_informada_nao_existe', 'O nome do servidor da URL não existe.'],
  timeout: ['limite_de_tempo_atingido_para_url', 'O servidor da URL não respondeu a tempo.'],
  failed: ['url_falhou_com_erro', 'A conexão com o certificado do serviço falhou.'],
  answered_with_error: ['erro_de_codigo', 'O servidor da URL não respondeu com sucesso.'],
}

/** 400 for an address that the service does not accept; `strict` errors have one name for all of them (service-decisions.md). */
export function addressProblem(
  errors: Settings['errors'],
  fault: AddressFault | 'not_https',
  detail = '',
): ServiceError {
  const [nome, text] = FAULTS[fault]
  const mensagem = detail === '' ? text : `${text} (${detail})`
  return problem(400, errors === 'field' ? nome : 'webhook_invalido', mensagem)
}
