import { COMMAND } from '../../platform/installation.ts'
import type { Catalogue } from '../catalogue.ts'

const RESUMES =
  'assim que um certificado puder ser usado, o gateway passa a usá-lo sozinho, e o envio continua em até um minuto'
const SET_URL = 'se ele estiver certo, use-o como URL do destino'
const OTHER_CERTIFICATE = `obtenha um de uma autoridade privada (${COMMAND} certs csr cria o pedido) em que o outro lado confie`
const INTERMEDIATES = 'se foi uma pública, o destino deve enviar os certificados intermediários'

export const NETWORKS: Catalogue['networks'] = {
  'private network': 'rede privada',
  'cloud metadata': 'metadados de nuvem',
}

export const FORWARDING: Catalogue['forwarding'] = {
  redirect_unreadable: `o redirecionamento para um endereço inválido não é seguido (HTTP {status}): ${SET_URL}`,
  redirect: `o redirecionamento para {address} não é seguido (HTTP {status}): ${SET_URL}`,
  loop_here: 'o destino leva de volta a um listener deste próprio gateway (HTTP {status}): corrija a URL',
  loop_elsewhere: 'respondeu HTTP {status}: o destino leva de volta a um sistema por onde este evento já passou',
  answered: 'respondeu HTTP {status}',
  no_answer: 'nenhuma resposta em {seconds} s',
  unexpected_answer: 'a resposta não corresponde à requisição (HTTP 100 ou 101)',
  connection_broke: 'a conexão caiu antes de chegar uma resposta',
  no_http: 'a resposta não é HTTP/1.1',
  no_http_detail: 'a resposta não é HTTP/1.1: {detail}',
  headers_too_long: 'os cabeçalhos da resposta são longos demais',
  request_impossible: 'não é possível montar a requisição ({detail}): corrija os cabeçalhos do destino {name}',
  attempt_failed: 'a tentativa falhou: {detail}',
  bad_secret: 'o segredo do destino não serve: {detail}',
  interrupted: 'interrompida: o gateway parou ou o destino foi removido; a requisição pode ter chegado',
  interrupted_by_end: 'interrompida: o gateway terminou antes de registrar o resultado; a requisição pode ter chegado',
  interrupted_unrecorded: 'interrompida: nada foi registrado antes do fim da concessão',
  stopping: 'o gateway está parando',

  names_silent: 'os servidores de nomes não responderam em {seconds} s',
  names_unreachable: 'nenhum servidor de nomes pôde ser alcançado',
  names_failed: 'os servidores de nomes falharam ({code})',
  name_without_address: 'o nome não tem endereço',
  name_unknown: 'o nome não existe',
  name_lookup_failed: 'a consulta do nome falhou ({detail})',
  names_many: 'há consultas de nomes demais em andamento: tente de novo em alguns segundos',

  refused: 'conexão recusada',
  host_unreachable: 'máquina inacessível',
  network_unreachable: 'rede inacessível',
  reset: 'a conexão foi encerrada pelo outro lado',
  no_connection_in_time: 'não houve conexão a tempo',
  no_connection: 'não houve conexão ({detail})',

  resolved_address_forbidden: '{host} tem o endereço {address}, que não é permitido ({detail}): {step}',
  address_forbidden: 'o endereço {host} não é permitido ({detail}): {step}',
  allow_metadata:
    'metadados de nuvem exigem uma entrada exatamente para este endereço, {address}, em forwarding.allowedNetworks',
  allow_loopback: `para um receptor nesta máquina, inclua "loopback" em forwarding.allowedNetworks e recarregue o gateway (${COMMAND} reload)`,
  allow_network: 'use um endereço público ou inclua a rede dele em forwarding.allowedNetworks',
  resolved_plain_http:
    'http puro para {host} com o endereço {address} não é permitido: use https ou inclua a rede dele em forwarding.allowedNetworks',
  plain_http: 'http puro para {host} não é permitido: use https ou inclua a rede dele em forwarding.allowedNetworks',

  handshake_late: 'o handshake TLS falhou: não terminou a tempo',
  handshake_closed: 'o handshake TLS falhou: a conexão foi encerrada',
  handshake_step: 'o handshake TLS falhou: {detail}; {step}',
  handshake: 'o handshake TLS falhou: {detail}',
  renew_certificate: 'renove o certificado no destino, com os intermediários',
  check_clocks: 'confira os relógios das duas máquinas e as datas do certificado no destino',
  other_names: 'o certificado é para outros nomes: corrija a URL do destino ou o certificado',
  replace_certificate: 'substitua o certificado no destino',
  no_server_certificate: 'o certificado não é para servidores: substitua-o no destino',
  no_tls: 'a porta não usa TLS: corrija a porta ou use http',
  old_tls: 'o destino precisa aceitar TLS 1.2 ou 1.3',
  nothing_in_common: 'o destino e o gateway não têm cifra nem curva em comum',
  http2_only: 'o destino não aceita HTTP/1.1 nesta porta, talvez só HTTP/2: ofereça também HTTP/1.1',
  client_certificate_wanted: 'o destino exige um certificado de cliente: configure para o destino um em que ele confie',
  client_certificate_refused:
    'o destino não aceita o certificado de cliente: confira o emissor e as datas, e em quem o destino confia',
  name_not_served: 'o destino não conhece este nome de host: corrija a URL do destino ou o nome lá',
  refused_there: 'o destino recusou o handshake: o log dele tem o motivo',
  given_authorities:
    'as autoridades indicadas para este destino (--ca ARQUIVO) não o emitiram, ou o destino não envia os certificados intermediários',
  configure_authority: `se uma autoridade privada emitiu o certificado, indique-a com ca: ARQUIVO na entrada do destino; ${INTERMEDIATES}`,
  name_authority: `se uma autoridade privada emitiu o certificado, indique-a com ${COMMAND} destinations update {id} --ca ARQUIVO; ${INTERMEDIATES}`,

  schedule_used_up: 'a agenda de tentativas terminou',
  too_old: 'mais antiga que forwarding.maxAge',
  too_old_to_send: 'não enviada: mais antiga que forwarding.maxAge',
  skipped: 'pulada por um operador',
  replay_canceled: 'o reenvio foi cancelado',
  destination_removed: 'o destino foi removido',
  redacted: 'os dados foram removidos',

  gone: 'o destino respondeu 410 Gone',
  paused: 'pausado por um operador',
  paused_for: 'pausado por um operador: {reason}',
  certificate_not_yet: `o certificado de cliente {file} só vale a partir de {date}: confira o relógio ou substitua-o; ${RESUMES}`,
  certificate_expired: `o certificado de cliente {file} venceu em {date}: substitua-o; ${RESUMES}`,
  certificate_unusable: `não é possível usar o certificado de cliente: {detail}; ${RESUMES}`,

  not_for_clients: `{subject} não é para clientes TLS (extended key usage), por isso servidores o recusam: ${OTHER_CERTIFICATE}`,
  no_longer_for_clients: `{subject} é de {issuer}, que não emite mais certificados para clientes TLS: a próxima renovação será recusada; ${OTHER_CERTIFICATE}`,
}
