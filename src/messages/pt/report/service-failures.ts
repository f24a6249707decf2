import type { Sentence } from './sentence.ts'

const ADDRESS_STEP = 'check the base address in service.baseAddresses, the network and the name in DNS'
const ADDRESS_OWN = 'confira o endereço em service.baseAddresses, a rede e o nome no DNS'
const INTERFACE = "the service's {words1} interface ({realm})"
const OWN = 'a interface de {words1} do serviço ({realm})'
const GARBAGE = 'check that the base address in service.baseAddresses is that of this interface'
const GARBAGE_OWN = 'confira se o endereço em service.baseAddresses é o desta interface'

/** Why a call of the service failed. The service's own words stay as they came. */
export const SERVICE_FAILURES: readonly Sentence[] = [
  ['account', 'conta'],
  ['payment', 'pagamentos'],
  ['registration', 'cadastro'],
  ['open-banking', 'open banking'],
  ['charges', 'cobranças'],
  [`${INTERFACE}: {words2}`, `${OWN}: {words2}`],
  [ADDRESS_STEP, ADDRESS_OWN],
  [`${INTERFACE} {words2}; ${GARBAGE}`, `${OWN} {words2}; ${GARBAGE_OWN}`],
  [
    `${INTERFACE}: the call was given up, because the gateway stops or its configuration has changed`,
    `${OWN}: a chamada foi abandonada, porque o gateway está parando ou a configuração dele mudou`,
  ],
  [
    `${INTERFACE} misses the scope of this call ({answer}): enable it for the application at the service`,
    `${OWN} não permite esta chamada ({answer}): habilite no serviço o escopo dela para o aplicativo`,
  ],
  [
    `${INTERFACE} misses the scope {scope} ({answer}): enable it for the application at the service`,
    `${OWN} exige o escopo {scope} ({answer}): habilite-o no serviço para o aplicativo`,
  ],
  [`${INTERFACE} refused the call ({answer})`, `${OWN} recusou a chamada ({answer})`],
  [`${INTERFACE} refused the call ({answer}): {words2}`, `${OWN} recusou a chamada ({answer}): {words2}`],
  ['it closed {count} connections before an answer', 'ele encerrou {count} conexões antes de uma resposta'],
  [
    'if the certificate is right, the network or the service is out of order, and later calls succeed',
    'se o certificado está certo, a rede ou o serviço está com problema, e chamadas posteriores funcionam',
  ],
  ['answered HTTP {status} without JSON', 'respondeu HTTP {status} sem JSON'],
  [
    'answered HTTP {status} with the credentials of the request',
    'respondeu HTTP {status} com as credenciais da requisição',
  ],
  ['answered without the record of {resource} {id}', 'respondeu sem o registro de {resource} {id}'],
  [
    'answered the metadata of {resource} {id} without code 200',
    'respondeu aos metadados de {resource} {id} sem o código 200',
  ],
  ['answered a notification token {words}', 'respondeu a um token de notificação {words}'],
  ['without the array data', 'sem a lista data'],
  ['with more than {count} entries', 'com mais de {count} itens'],
  ['with an entry (number {number}) that has no id from 1', 'com um item (número {number}) sem ID a partir de 1'],
  [
    'answered settings without redirectURL, webhookURL or webhookSecurity',
    'respondeu configurações sem redirectURL, webhookURL ou webhookSecurity',
  ],
  ['answered without the payment {id}', 'respondeu sem o pagamento {id}'],
  ['answered {type} {id} with an unknown status', 'respondeu {type} {id} com um status desconhecido'],
  ['answered payment {id} without its amount in cents', 'respondeu o pagamento {id} sem o valor em centavos'],
  ['answered a summary of another period', 'respondeu um resumo de outro período'],
  ['answered no summary', 'não respondeu um resumo'],
  ['answered a summary without ids', 'respondeu um resumo sem IDs'],
  ['answered opening {id} with {status}', 'respondeu à abertura {id} com {status}'],
  ['answered the request for a statement without its id', 'respondeu à requisição de um extrato sem o ID dele'],
  ['answered a statement {words}', 'respondeu um extrato {words}'],
  ['answered a registration without {name}', 'respondeu um cadastro sem {name}'],
  ['answered more than {count} pages of webhooks', 'respondeu mais de {count} páginas de webhooks'],
  ['answered a list without webhooks', 'respondeu uma lista sem webhooks'],
  ['answered a webhook without its URL', 'respondeu um webhook sem a URL dele'],
  ['answered a list without the number of its pages', 'respondeu uma lista sem o número de páginas'],
  ['the answer ended without a status', 'a resposta terminou sem um status'],
  ['the call was aborted', 'a chamada foi interrompida'],
  ['the request failed ({words2})', 'a requisição falhou ({words2})'],
  ['the answer is not HTTP/1.1', 'a resposta não é HTTP/1.1'],
  ['the answer is too long ({words2})', 'a resposta é longa demais ({words2})'],
  [
    'the connection broke in the middle of an answer; the call is repeated',
    'a conexão caiu no meio de uma resposta; a chamada é repetida',
  ],
  [
    'the connection was closed before an answer came; check the network',
    'a conexão foi encerrada antes de chegar uma resposta; verifique a rede',
  ],
  [
    'check that service.authorities has the root of the service’s server certificate, and that the base address names its host',
    'confira se service.authorities tem a raiz do certificado de servidor do serviço, e se o endereço tem o nome do host dele',
  ],
  ['TLS handshake failed: {words2}', 'o handshake TLS falhou: {words2}'],
  [
    "the service does not accept the client certificate ({words2}); check that service.certificate is the account's own of this environment, valid and not revoked, and download a new one from the account if it is not",
    'o serviço não aceita o certificado de cliente ({words2}); confira se service.certificate é o da conta neste ambiente, válido e não revogado, e se não for, baixe um novo da conta',
  ],
  [
    `${INTERFACE} answered with a redirect (HTTP {status}), which is not followed; ${GARBAGE}`,
    `${OWN} respondeu com um redirecionamento (HTTP {status}), que não é seguido; ${GARBAGE_OWN}`,
  ],
  [
    `${INTERFACE} has no token endpoint below its base address (HTTP 404); ${GARBAGE}`,
    `${OWN} não tem o endpoint de tokens abaixo do endereço (HTTP 404); ${GARBAGE_OWN}`,
  ],
  [
    `${INTERFACE} answered HTTP {status} without an access token; ${GARBAGE}`,
    `${OWN} respondeu HTTP {status} sem um token de acesso; ${GARBAGE_OWN}`,
  ],
  [`${INTERFACE} gave no access token ({answer})`, `${OWN} não forneceu um token de acesso ({answer})`],
  [
    `${INTERFACE} refused the credentials ({answer}): check service.clientId and clientSecret; they are valid in one environment, and only with a certificate of their account`,
    `${OWN} recusou as credenciais ({answer}): confira service.clientId e clientSecret; elas valem em um só ambiente, e só com um certificado da mesma conta`,
  ],
  [
    `${INTERFACE} refused a new access token too ({answer}): check that the base address, the certificate and the credentials in service are those of one account and of this environment`,
    `${OWN} recusou também um novo token de acesso ({answer}): confira se o endereço, o certificado e as credenciais de service são de uma só conta e deste ambiente`,
  ],
  [
    `${INTERFACE} has a failure of its own ({answer}): the call can be repeated later`,
    `${OWN} está com uma falha ({answer}): a chamada pode ser repetida mais tarde`,
  ],
  [
    `${INTERFACE} takes no further requests for {seconds} s (HTTP 429): repeat the call then, or make fewer calls`,
    `${OWN} não aceita mais requisições por {seconds} s (HTTP 429): repita a chamada depois, ou faça menos chamadas`,
  ],
  [
    `${INTERFACE} gave no answer within {seconds} s: check the network, and repeat the call`,
    `${OWN} não respondeu em {seconds} s: verifique a rede e repita a chamada`,
  ],
]
