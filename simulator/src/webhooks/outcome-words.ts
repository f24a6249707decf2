import type { CallOutcome } from './receiver-call.ts'

/** What happened at a call, for a `mensagem`: never a text of Node or OpenSSL. '': nothing beyond the kind. */
export function outcomeInPortuguese(outcome: CallOutcome): string {
  switch (outcome.kind) {
    case 'answered':
      return `HTTP ${outcome.status}`
    case 'closed':
      return 'a conexão foi encerrada sem resposta'
    case 'not_http':
      return 'a resposta não é HTTP'
    case 'forbidden_address':
      return 'o simulador só chama endereços públicos com a configuração webhooks.allowPublicAddresses'
    case 'unreachable':
      return CONNECTION[outcome.code] ?? ''
    case 'handshake_failed':
      return handshakeInPortuguese(outcome)
    case 'untrusted':
      return `o certificado do servidor não é confiável${DISTRUST[outcome.code] ?? ''}`
    case 'name_unknown':
    case 'timeout':
      return ''
  }
}

/** By OpenSSL's reason: the code of some errors is only EPROTO. */
function handshakeInPortuguese({ reason }: { readonly reason: string }): string {
  const alert = /SSL alert number (\d+)/.exec(reason)?.[1]
  if (alert !== undefined) return `o servidor encerrou o handshake com o alerta TLS ${alert}`
  if (/wrong version number|packet length too long|http request/.test(reason))
    return 'o servidor não fala TLS nesta porta'
  if (/unsupported protocol/.test(reason)) return 'o servidor só fala versões do TLS abaixo de 1.2'
  return 'o handshake TLS falhou'
}

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'conexão recusada',
  EHOSTUNREACH: 'não há rota até o servidor',
  ENETUNREACH: 'não há rota até a rede do servidor',
  ETIMEDOUT: 'o servidor não aceitou a conexão a tempo',
}

const UNKNOWN_ISSUER = ': o emissor não é conhecido, ou a cadeia está incompleta'

/** By the error code of the verification. */
const DISTRUST: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: ': venceu',
  CERT_NOT_YET_VALID: ': ainda não é válido',
  DEPTH_ZERO_SELF_SIGNED_CERT: ': é autoassinado',
  ERR_TLS_CERT_ALTNAME_INVALID: ': não contém o nome do servidor',
  SELF_SIGNED_CERT_IN_CHAIN: ': a raiz da cadeia não é conhecida',
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
}
