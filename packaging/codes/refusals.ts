import type { RefusalCode } from '../../src/domain/refusal.ts'

export type InBoth = readonly [english: string, portuguese: string]

const CALLER: InBoth = [
  'If it is the service, compare its certificate with the installed chains: `portaria refusals show ID`. Else nothing.',
  'Se for o serviço, compare o certificado dele com as cadeias instaladas: `portaria refusals show ID`. Senão, nada.',
]
const NEW_CHAIN: InBoth = [
  'If it is the service, it calls with a new chain: get the chain from the service, `portaria certs trust diff`, then stage and activate it. Else nothing.',
  'Se for o serviço, ele chama com uma cadeia nova: obtenha a cadeia do serviço, `portaria certs trust diff`, depois prepare e ative-a. Senão, nada.',
]
const LISTS: InBoth = [
  'If the caller should be let in, change `allow` or `deny` under its chain, and reload. Else nothing.',
  'Se o chamador deve entrar, mude `allow` ou `deny` da cadeia dele e recarregue. Senão, nada.',
]
const ITS_OWNER: InBoth = [
  'The owner of the caller renews or replaces its certificate.',
  'O dono do chamador renova ou substitui o certificado.',
]
const ITS_TLS: InBoth = [
  'If it is a caller of yours, correct its TLS: 1.2 or 1.3, with a usual cipher and key. Else nothing.',
  'Se for um chamador seu, corrija o TLS dele: 1.2 ou 1.3, com cifra e chave usuais. Senão, nada.',
]
const ITS_REQUEST: InBoth = [
  'If it is a caller of yours, correct its request: `portaria refusals show ID` has what it sent. Else nothing.',
  'Se for um chamador seu, corrija a requisição dele: `portaria refusals show ID` mostra o que ele enviou. Senão, nada.',
]
const NETWORK: InBoth = [
  'Nothing once. If the service is cut off again and again, look at the network and at what is in front of the gateway.',
  'Nada, se for uma vez. Se o serviço é interrompido muitas vezes, verifique a rede e o que está na frente do gateway.',
]
const PLACES: InBoth = [
  'Nothing in a flood. Behind a proxy without the PROXY protocol raise `connectionsPerAddress`, and for many callers `maxConnections`.',
  'Nada em uma enxurrada. Atrás de um proxy sem o protocolo PROXY, aumente `connectionsPerAddress`; para muitos chamadores, `maxConnections`.',
]
const PROXY: InBoth = ['Correct the load balancer, or `proxyProtocol`.', 'Corrija o balanceador, ou `proxyProtocol`.']

/** What to do about each refusal of a caller. What it means is in `REFUSAL_REASONS`. */
export const REFUSAL_ACTIONS: Readonly<Record<RefusalCode, InBoth>> = {
  no_certificate: [
    'Nothing at a test of the service. If it is a caller of yours, give it its certificate, and let nothing in front of the gateway end TLS.',
    'Nada em um teste do serviço. Se for um chamador seu, dê a ele o certificado, e que nada na frente do gateway termine o TLS.',
  ],
  unknown_issuer: NEW_CHAIN,
  self_signed: CALLER,
  sibling_issuer: NEW_CHAIN,
  caller_is_ca: CALLER,
  caller_not_allowed: LISTS,
  caller_denied: LISTS,
  expired: ITS_OWNER,
  issuer_expired: NEW_CHAIN,
  not_yet_valid: [
    'Compare the clock of this machine; if it is right, the caller has to wait.',
    'Compare o relógio desta máquina; se está certo, o chamador tem de esperar.',
  ],
  wrong_usage: [
    'If it is the service, write `usage: any` and `allow` under its chain. Else nothing.',
    'Se for o serviço, escreva `usage: any` e `allow` na cadeia dele. Senão, nada.',
  ],
  forged: CALLER,
  certificate_revoked: ITS_OWNER,
  crl_expired: [
    'Get the current revocation list from the authority, and put it into the file.',
    'Obtenha da autoridade a lista de revogação atual e coloque-a no arquivo.',
  ],
  chain_too_long: CALLER,
  weak_certificate: ITS_OWNER,
  invalid_certificate: CALLER,
  unsupported_key: ITS_OWNER,
  key_not_proven: CALLER,
  tls_too_old: ITS_TLS,
  not_tls: ITS_TLS,
  plain_http: ITS_REQUEST,
  no_common_cipher: ITS_TLS,
  no_common_signature: ITS_TLS,
  no_common_group: ITS_TLS,
  no_common_protocol: ITS_TLS,
  own_certificate_refused: [
    'Look at your own certificate from outside: `portaria certs show --host HOST:PORT`.',
    'Veja de fora o seu próprio certificado: `portaria certs show --host HOST:PORT`.',
  ],
  hung_up: NETWORK,
  stalled_handshake: NETWORK,
  handshake_failed: ITS_TLS,
  address_not_allowed: [
    'If the caller should be let in, add its address to `allowedAddresses`. Else nothing.',
    'Se o chamador deve entrar, acrescente o endereço dele a `allowedAddresses`. Senão, nada.',
  ],
  too_many_connections: PLACES,
  too_many_from_address: PLACES,
  idle_connection: PLACES,
  unknown_path: [
    'If it is the service, correct the URL that is registered there, or the `path` of the kind.',
    'Se for o serviço, corrija a URL cadastrada lá, ou o `path` do tipo.',
  ],
  unknown_token: [
    'If it is the service, register the URL with the present token of `chargeNotifications.tokens`.',
    'Se for o serviço, cadastre a URL com o token atual de `chargeNotifications.tokens`.',
  ],
  invalid_token: [
    'The app requests another access token; guesses are throttled by themselves.',
    'O aplicativo pede outro token de acesso; tentativas de adivinhação são limitadas sozinhas.',
  ],
  wrong_host: ['Add the name to `api.hostNames` if it is yours.', 'Acrescente o nome a `api.hostNames`, se for seu.'],
  wrong_method: ITS_REQUEST,
  no_callback: ['Nothing.', 'Nada.'],
  encoded_body: ITS_REQUEST,
  too_large: [
    'If it is the service, raise `callbacks.limits.body`. Else nothing.',
    'Se for o serviço, aumente `callbacks.limits.body`. Senão, nada.',
  ],
  headers_too_large: ITS_REQUEST,
  loop: ['Correct the URL of that destination.', 'Corrija a URL desse destino.'],
  bad_request: ITS_REQUEST,
  proxy_header: PROXY,
  proxy_header_missing: PROXY,
  proxy_header_invalid: PROXY,
  proxy_header_twice: PROXY,
  request_timeout: NETWORK,
  connection_broken: NETWORK,
  left_out: ['See the refusals around it.', 'Veja as recusas ao redor.'],
}
