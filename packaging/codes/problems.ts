import type { TokenErrorCode } from '../../src/api/auth/token-request.ts'
import type { ErrorCode } from '../../src/platform/errors.ts'
import type { InBoth } from './refusals.ts'

interface ProblemWords {
  readonly meaning: InBoth
  readonly action: InBoth
}

const AGAIN: InBoth = [
  'Ask again after `Retry-After`; the log of the gateway says why.',
  'Peça de novo depois de `Retry-After`; o log do gateway diz por quê.',
]
const COMMANDS: InBoth = ['Its text says which command or file.', 'O texto do problema diz qual comando ou arquivo.']

/** The problems of the API: what each code means, and what its client does. */
export const PROBLEM_WORDS: Readonly<Record<ErrorCode | 'internal', ProblemWords>> = {
  internal: {
    meaning: ['A fault of the gateway.', 'Um defeito do gateway.'],
    action: ['Report it; the log has it under the `requestId`.', 'Comunique-o; o log o tem com o mesmo `requestId`.'],
  },
  configuration_invalid: {
    meaning: [
      'The configuration, or a secret, cannot be used for this.',
      'A configuração, ou um segredo, não serve para isto.',
    ],
    action: ['Correct what `detail` names.', 'Corrija o que `detail` indica.'],
  },
  certificate_invalid: {
    meaning: [
      'A certificate, a key, a chain or a request cannot be used.',
      'Um certificado, uma chave, uma cadeia ou um pedido não pode ser usado.',
    ],
    action: ['Send another one: `detail` names the flaw.', 'Envie outro: `detail` diz o defeito.'],
  },
  trust_missing: {
    meaning: ['No chain of the service is installed.', 'Nenhuma cadeia do serviço está instalada.'],
    action: [
      'Install one: `portaria certs trust stage`, then `activate`.',
      'Instale uma: `portaria certs trust stage`, depois `activate`.',
    ],
  },
  address_forbidden: {
    meaning: ['The gateway does not send to this address.', 'O gateway não envia a este endereço.'],
    action: [
      'Use a public address, or the operator adds the network to `forwarding.allowedNetworks`.',
      'Use um endereço público, ou o operador acrescenta a rede a `forwarding.allowedNetworks`.',
    ],
  },
  request_invalid: {
    meaning: ['The body, the query or a header cannot be read.', 'O corpo, a query ou um cabeçalho não pode ser lido.'],
    action: ['Correct each place that `errors` names.', 'Corrija cada lugar que `errors` indica.'],
  },
  unauthorized: {
    meaning: ['The access token is missing, unknown or over.', 'O token de acesso falta, é desconhecido ou acabou.'],
    action: ['Request another one at `/oauth/token`.', 'Peça outro em `/oauth/token`.'],
  },
  forbidden: {
    meaning: [
      'The client may do this, but not here: it is of another client, environment or institution.',
      'O cliente pode fazer isto, mas não aqui: é de outro cliente, ambiente ou instituição.',
    ],
    action: [
      'Use a client of that environment, or the operator token.',
      'Use um cliente desse ambiente, ou o token do operador.',
    ],
  },
  insufficient_scope: {
    meaning: ['The client lacks the scope.', 'Falta ao cliente o escopo.'],
    action: [
      'The operator makes a client with the scope that `detail` names.',
      'O operador cria um cliente com o escopo que `detail` indica.',
    ],
  },
  not_found: {
    meaning: [
      'It does not exist, no longer, or the client may not see it.',
      'Não existe, não existe mais, ou o cliente não pode vê-lo.',
    ],
    action: ['Compare the id or the path.', 'Compare o ID ou o caminho.'],
  },
  method_not_allowed: {
    meaning: ['The path has other methods.', 'O caminho tem outros métodos.'],
    action: ['Use one that the header `Allow` names.', 'Use um dos que o cabeçalho `Allow` indica.'],
  },
  not_acceptable: {
    meaning: ['The answer has no form that `Accept` takes.', 'A resposta não tem uma forma que `Accept` aceite.'],
    action: [
      'Ask for `application/json`, or what `/openapi.json` names.',
      'Peça `application/json`, ou o que `/openapi.json` indica.',
    ],
  },
  conflict: {
    meaning: [
      'The state does not allow it: taken, ended or changed meanwhile.',
      'O estado não permite: ocupado, encerrado ou alterado nesse meio-tempo.',
    ],
    action: ['Read it again, and decide by `detail`.', 'Leia de novo e decida por `detail`.'],
  },
  gone: {
    meaning: ['It was removed when its time was over.', 'Foi removido quando o prazo dele acabou.'],
    action: ['Continue with the cursor in `next`, if there is one.', 'Continue com o cursor em `next`, se houver um.'],
  },
  misdirected: {
    meaning: ['The `Host` header names no host of the API.', 'O cabeçalho `Host` não é de um host da API.'],
    action: [
      'Use its name, or the operator adds yours to `api.hostNames`.',
      'Use o nome dele, ou o operador acrescenta o seu a `api.hostNames`.',
    ],
  },
  too_many_requests: {
    meaning: [
      'Too many requests, sign-ins or guesses in a short time.',
      'Requisições, entradas ou tentativas demais em pouco tempo.',
    ],
    action: ['Wait as long as `Retry-After` says.', 'Espere o que `Retry-After` diz.'],
  },
  loop_detected: {
    meaning: ['The gateway has sent this request itself.', 'O próprio gateway enviou esta requisição.'],
    action: ['Correct the URL of that destination.', 'Corrija a URL desse destino.'],
  },
  store_locked: {
    meaning: ['Another program uses the database.', 'Outro programa usa o banco de dados.'],
    action: COMMANDS,
  },
  store_newer: {
    meaning: [
      'The database is of a newer version of the program.',
      'O banco de dados é de uma versão mais nova do programa.',
    ],
    action: ['Use the newer program, or restore a backup.', 'Use o programa mais novo, ou restaure um backup.'],
  },
  store_missing: { meaning: ['There is no database.', 'Não há banco de dados.'], action: COMMANDS },
  store_unavailable: {
    meaning: ['The database cannot be used now.', 'O banco de dados não pode ser usado agora.'],
    action: AGAIN,
  },
  queue_full: {
    meaning: ['Too many requests wait for the database.', 'Requisições demais esperam pelo banco de dados.'],
    action: AGAIN,
  },
  listen_failed: {
    meaning: ['An address or a port cannot be opened.', 'Um endereço ou uma porta não pode ser aberto.'],
    action: COMMANDS,
  },
}

const DEVICE: InBoth = ['Begin the sign-in again.', 'Comece a entrada de novo.']

/** The errors of `/oauth/token` and its siblings (RFC 6749, 7009 and 8628), which are no problems of RFC 9457. */
export const TOKEN_ERROR_WORDS: Readonly<Record<TokenErrorCode, ProblemWords>> = {
  invalid_request: {
    meaning: [
      'The form lacks a parameter, or has it twice.',
      'Falta um parâmetro no formulário, ou ele vem duas vezes.',
    ],
    action: ['Correct what `error_description` names.', 'Corrija o que `error_description` indica.'],
  },
  invalid_client: {
    meaning: [
      'Client id and secret do not belong together, or the client is revoked.',
      'ID e segredo do cliente não combinam, ou o cliente foi revogado.',
    ],
    action: [
      'Compare them, or have the operator rotate the secret.',
      'Compare-os, ou peça ao operador que troque o segredo.',
    ],
  },
  unsupported_grant_type: {
    meaning: ['The `grant_type` is none of the gateway.', 'O `grant_type` não é um dos do gateway.'],
    action: ['Send `client_credentials`.', 'Envie `client_credentials`.'],
  },
  unsupported_token_type: {
    meaning: ['The token is of a type that cannot be revoked.', 'O token é de um tipo que não pode ser revogado.'],
    action: ['Nothing: it ends by itself.', 'Nada: ele acaba sozinho.'],
  },
  invalid_scope: {
    meaning: ['The client does not have a scope that it asked for.', 'O cliente não tem um escopo que pediu.'],
    action: [
      'Ask for fewer scopes, or have the operator give them.',
      'Peça menos escopos, ou peça ao operador que os dê.',
    ],
  },
  slow_down: {
    meaning: ['Too many requests or guesses.', 'Requisições ou tentativas demais.'],
    action: ['Wait as long as `Retry-After` says.', 'Espere o que `Retry-After` diz.'],
  },
  authorization_pending: {
    meaning: ['The person has not signed in yet.', 'A pessoa ainda não entrou.'],
    action: ['Ask again after `interval` seconds.', 'Pergunte de novo depois de `interval` segundos.'],
  },
  access_denied: {
    meaning: ['The person, or the provider, refused.', 'A pessoa, ou o provedor, recusou.'],
    action: DEVICE,
  },
  expired_token: { meaning: ['The device code is over.', 'O código do dispositivo acabou.'], action: DEVICE },
  invalid_grant: {
    meaning: [
      'The code or refresh token is over, used or unknown.',
      'O código ou o refresh token acabou, foi usado ou é desconhecido.',
    ],
    action: DEVICE,
  },
  temporarily_unavailable: {
    meaning: ['The provider of sign-ins does not answer.', 'O provedor de identidade não responde.'],
    action: [
      'Try again later; the log of the gateway says why.',
      'Tente de novo mais tarde; o log do gateway diz por quê.',
    ],
  },
}
