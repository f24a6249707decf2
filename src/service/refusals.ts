import { COMMAND } from '../platform/installation.ts'
import type { Refusal } from './failure.ts'

/** Why the service refused a registration or a setting, and the next step. */
export interface RefusalAdvice {
  readonly cause: string
  readonly nextStep: string
}

const CHECK_URL = `${COMMAND} check --url`
const LIST = `${COMMAND} service webhooks list`

/**
 * By `nome`: what the service answers at endpoints 16 to 24 of Document 1 (service-errors.md), and where it keeps to the documents
 * (`webhook_invalido`, `webhook_nao_encontrado`, `erro_de_validacao`; service-decisions.md).
 */
export const REGISTRATION_REFUSALS: Readonly<Record<string, RefusalAdvice>> = {
  redirect_url_obrigatorio: {
    cause: 'the settings have no redirect address',
    nextStep: 'give one with --redirect-url',
  },
  redirect_url_invalido: {
    cause: 'the redirect address is not a URL that the service takes',
    nextStep: 'correct --redirect-url: a whole https address',
  },
  webhook_url_obrigatorio: {
    cause: 'the settings have no webhook address',
    nextStep: 'set callbacks.publicUrl and a kind for open banking, from which the address is made',
  },
  webhook_url_mtls_obrigatorio: {
    cause: 'the address answered the request without a client certificate',
    nextStep: `let TLS end at the callback listener, not at a proxy or balancer in front of it; ${CHECK_URL} shows it`,
  },
  webhook_url_invalido: {
    cause: 'the address is not valid, cannot be reached from the internet, or its TLS handshake failed',
    nextStep: `run ${CHECK_URL} from outside your network, and ${COMMAND} refusals list at the gateway`,
  },
  webhook_seguranca_invalido: {
    cause: 'the service does not know this webhookSecurity type',
    nextStep: 'use mtls, which is what the callback listener needs',
  },
  webhook_seguranca_hash_invalido: {
    cause: 'webhookSecurity of type hmac has no valid hash',
    nextStep: 'use mtls, which needs no hash, or give the hash of the account',
  },
  conta_nao_encontrada: {
    cause: 'the service finds no account for these credentials',
    nextStep: 'check that clientId and certificate belong to an active account of this environment',
  },
  configuracao_nao_encontrada: {
    cause: 'the account has no open-banking settings yet',
    nextStep: `set them with ${COMMAND} service open-banking set`,
  },
  url_webhook: {
    cause: 'the address is not a URL',
    nextStep: 'correct callbacks.publicUrl, the path of the kind, and the query',
  },
  protocolo_da_url: {
    cause: 'the address does not begin with https://',
    nextStep: 'correct callbacks.publicUrl: it must be an https address',
  },
  mtls_nao_configurado: {
    cause: 'the address answered the request without a client certificate',
    nextStep: `let TLS end at the callback listener, not at a proxy or balancer in front of it; ${CHECK_URL} shows it`,
  },
  url_inacessivel: {
    cause: 'the service cannot connect to the address',
    nextStep: `open the port in firewall and router, check the address in DNS, and run ${CHECK_URL} from outside your network`,
  },
  limite_de_tempo_atingido_para_url: {
    cause: 'the address gave the service no answer in time',
    nextStep: `check that no firewall drops packets and that the gateway is not overloaded, then repeat; ${CHECK_URL} shows how long it takes`,
  },
  url_falhou_com_erro: {
    cause: 'the connection or the handshake with the certificate of the service failed',
    nextStep: `${COMMAND} refusals list shows why the gateway refused it; often a chain is missing: ${COMMAND} certs trust list, and the issuers in callbacks.certificate`,
  },
  erro_de_codigo: {
    cause: 'the address answered, but not with 2xx',
    nextStep: `check the path of the kind, that the gateway is ready (${COMMAND} check), and that nothing in front of it answers`,
  },
  url_informada_nao_existe: {
    cause: 'the host name of the address does not resolve',
    nextStep: 'correct the name in callbacks.publicUrl, or create it in the public DNS',
  },
  chave_invalida: {
    cause: 'no webhook of the account has this id',
    nextStep: `${LIST} shows the ids that the service has`,
  },
  url_cadastrada: {
    cause: 'the address is registered already, perhaps by another application of the account',
    nextStep: `${LIST} shows it; nothing has to be done if it is in the list`,
  },
  identificador_webhook: {
    cause: 'no webhook of the account has this id',
    nextStep: `${LIST} shows the ids that the service has`,
  },
  data_invalida: {
    cause: 'the period ends before it begins',
    nextStep: 'check the clock of this machine',
  },
  webhook_invalido: {
    cause: 'the address did not pass the two requests of the service; its sentence says which one failed',
    nextStep: `run ${CHECK_URL} from outside your network, and ${COMMAND} refusals list at the gateway`,
  },
  webhook_nao_encontrado: {
    cause: 'the account has no such webhook',
    nextStep: `${LIST} shows what the service has`,
  },
  erro_de_validacao: {
    cause: 'the service does not take a value of the request',
    nextStep: 'its sentence names the value: correct it, and repeat',
  },
  erro_aplicacao: {
    cause: 'the service has a failure of its own',
    nextStep: 'repeat later; if it stays, ask the support of the service',
  },
}

/** null: the service gave no name, or one without advice. */
export function adviceFor(refusal: Refusal | null): RefusalAdvice | null {
  const name = refusal?.name ?? ''
  return Object.hasOwn(REGISTRATION_REFUSALS, name) ? (REGISTRATION_REFUSALS[name] ?? null) : null
}

/** `: cause; next step`, or nothing. */
export function adviceText(refusal: Refusal): string {
  const advice = adviceFor(refusal)
  return advice === null ? '' : `: ${advice.cause}; ${advice.nextStep}`
}
