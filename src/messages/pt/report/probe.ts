import type { Sentence } from './sentence.ts'

const INSTALL_ISSUER =
  "install the chain of your certificate's issuer at the server, give the full chain with --cert, and look at the server's own record of refused callers"
const INSTALL_OWN =
  'instale no servidor a cadeia do emissor do seu certificado, informe a cadeia completa com --cert e veja no servidor o registro dos chamadores recusados'
const PRESENT = 'faça o servidor exigir um certificado de cliente'

/** What `portaria probe` and `portaria check --url` find. */
export const PROBE_TEXTS: readonly Sentence[] = [
  ['✓ good', '✓ certo'],
  ['✗ bad', '✗ errado'],
  ['request', 'requisição'],
  ['time', 'tempo'],
  ['what happened', 'o que aconteceu'],
  [
    'the service appends {suffix} itself: register the URL without {suffix}',
    'o serviço mesmo acrescenta {suffix}: cadastre a URL sem {suffix}',
  ],
  ["The service's two requests to {url}", 'As duas requisições do serviço a {url}'],
  [
    "!! INSECURE: the server's certificate is NOT verified (--insecure). Anyone could answer here, and the service itself does verify.",
    '!! INSEGURO: o certificado do servidor NÃO é verificado (--insecure). Qualquer um poderia responder aqui, e o próprio serviço verifica.',
  ],
  [
    'The server certificate is unknown: no handshake got that far.',
    'O certificado do servidor é desconhecido: nenhum handshake chegou até ele.',
  ],
  [
    "The server's certificate: {subject}; issued by {issuer}; valid until {until}; {words1}; {words2}.",
    'O certificado do servidor: {subject}; emitido por {issuer}; válido até {until}; {words1}; {words2}.',
  ],
  ['names this host', 'vale para este host'],
  ['does NOT name this host', 'NÃO vale para este host'],
  ['trusted', 'de confiança'],
  ['NOT trusted ({words})', 'NÃO é de confiança ({words})'],
  ['NOT trusted ({words}), not verified', 'NÃO é de confiança ({words}), não verificado'],
  [
    '✓ All good: refused without a certificate, answered with one.',
    '✓ Tudo certo: recusa sem certificado e responde com certificado.',
  ],
  [
    '✗ Not good: {bad} of {all} requests did not end as expected.',
    '✗ Errado: {bad} de {all} requisições não terminaram como deviam.',
  ],

  ['handshake failure: TLS alert {alert} ({name})', 'falha no handshake: alerta TLS {alert} ({name})'],
  [
    'handshake failure: TLS alert {alert} ({name}): {words}',
    'falha no handshake: alerta TLS {alert} ({name}): {words}',
  ],
  // Behind the others, which also have the alert in Portuguese.
  ['handshake failure: {alert}', 'falha no handshake: {alert}'],
  ['TLS failed: TLS alert {alert} ({name}): {words}', 'o TLS falhou: alerta TLS {alert} ({name}): {words}'],
  ['TLS failed: {code}: {words}', 'o TLS falhou: {code}: {words}'],
  ['closed without an answer', 'a conexão foi encerrada sem resposta'],
  ['closed without an answer: {words}', 'a conexão foi encerrada sem resposta: {words}'],
  ['most likely the certificate was turned away: {words}', 'provavelmente o certificado foi recusado: {words}'],
  [INSTALL_ISSUER, INSTALL_OWN],
  [
    'the server turned the certificate away or shares no cipher with the caller: {words}',
    'o servidor recusou o certificado ou não tem cifra em comum com o chamador: {words}',
  ],
  ['the server turned the certificate away: {words}', 'o servidor recusou o certificado: {words}'],
  [
    'the server does not take this type of certificate or key: use RSA of 2048 bits or EC P-256, signed with SHA-256',
    'o servidor não aceita este tipo de certificado ou chave: use RSA de 2048 bits ou EC P-256, assinado com SHA-256',
  ],
  ['the certificate is revoked: use another', 'o certificado foi revogado: use outro'],
  ['the certificate is out of date: renew it', 'o certificado está fora da validade: renove-o'],
  [
    'the server could not verify the signature: check that its clock, certificate and key are sound',
    'o servidor não conseguiu verificar a assinatura: confira o relógio, o certificado e a chave dele',
  ],
  [
    'the server does not know this host name: call it by the name that it is configured for',
    'o servidor não conhece este nome de host: chame-o pelo nome para o qual está configurado',
  ],
  [
    'the server saw no certificate: check the proxies between the caller and the server',
    'o servidor não viu certificado: verifique os proxies entre o chamador e o servidor',
  ],
  ["look at the server's log", 'veja o log do servidor'],
  [
    'accepted without certificate (an answer that is not HTTP: {code}): make the server demand a client certificate',
    `aceito sem certificado (uma resposta que não é HTTP: {code}): ${PRESENT}`,
  ],
  [
    'accepted without certificate (HTTP {status}): only a handshake failure, a closed connection and 4xx are refusals; make the server demand a client certificate',
    `aceito sem certificado (HTTP {status}): só falha no handshake, conexão encerrada e 4xx são recusas; ${PRESENT}`,
  ],
  ['answered {status}', 'respondeu {status}'],
  ['answered HTTP {status}', 'respondeu HTTP {status}'],
  ['answered {status}: {words}', 'respondeu {status}: {words}'],
  [
    "answered {status}, but the answer broke off: look at the server's log",
    'respondeu {status}, mas a resposta foi interrompida: veja o log do servidor',
  ],
  [
    'answered {status} to {url}: redirects are failures; answer here, or give the final address',
    'respondeu {status} para {url}: redirecionamentos são falhas; responda aqui ou informe o endereço final',
  ],
  [
    'answered {status}: redirects are failures; answer here, or give the final address',
    'respondeu {status}: redirecionamentos são falhas; responda aqui ou informe o endereço final',
  ],
  [
    'nothing is served at this path: check the path of the URL',
    'nada responde neste caminho: confira o caminho da URL',
  ],
  ['the path takes no POST: check the path of the URL', 'o caminho não aceita POST: confira o caminho da URL'],
  ['the body is larger than the server takes', 'o corpo é maior do que o servidor aceita'],
  ['the server does not take application/json', 'o servidor não aceita application/json'],
  [
    "the server did not take the request: look at the server's log; nginx answers 400 to a certificate that it cannot verify",
    'o servidor não aceitou a requisição: veja o log dele; o nginx responde 400 a um certificado que não consegue verificar',
  ],
  [
    "the server failed: look at the server's log, and at the systems behind it",
    'o servidor falhou: veja o log dele e os sistemas atrás dele',
  ],
  ['only 2xx counts as taken', 'só 2xx conta como recebido'],
  ['the answer is not HTTP ({code}): check host and port', 'a resposta não é HTTP ({code}): confira host e porta'],
  ['the server does not speak this TLS version', 'o servidor não aceita esta versão do TLS'],
  ['the other TLS version will do', 'a outra versão do TLS basta'],
  ['no other TLS version does all that is asked', 'nenhuma outra versão do TLS faz tudo o que é preciso'],
  [
    'the server does not speak TLS on this port: check the port, or switch TLS on',
    'o servidor não usa TLS nesta porta: confira a porta ou ligue o TLS',
  ],
  [
    "the server's certificate is not trusted ({words}): let the server send its full chain for this host name, in date; a private authority is given with --ca FILE",
    'o certificado do servidor não é de confiança ({words}): o servidor deve enviar a cadeia completa para este nome de host, dentro da validade; informe uma autoridade privada com --ca FILE',
  ],
  [
    'the TLS handshake did not end within the time limit: check that the port speaks TLS, and the proxies before it',
    'o handshake TLS não terminou no tempo limite: verifique se a porta usa TLS, e os proxies à frente dela',
  ],
  [
    'no answer within the time limit: let the server answer first and work later',
    'nenhuma resposta no tempo limite: faça o servidor responder primeiro e trabalhar depois',
  ],
  ['unreachable: {words}', 'inacessível: {words}'],
  ['the connection broke: {words}: try again', 'a conexão caiu: {words}: tente de novo'],
  [
    'no connection within the time limit: check host, port and firewall',
    'nenhuma conexão no tempo limite: confira host, porta e firewall',
  ],
  [
    'connection refused: nothing listens there, or a firewall says no: check host and port',
    'conexão recusada: nada escuta ali, ou um firewall a recusa: confira host e porta',
  ],
  ['the host name does not exist: check its spelling and DNS', 'o nome do host não existe: confira a grafia e o DNS'],
  [
    'the host name could not be looked up: check DNS, and try again',
    'o nome do host não pôde ser consultado: verifique o DNS e tente de novo',
  ],
  ['no route to the host: check the network', 'nenhuma rota até o host: verifique a rede'],
  ['no route to the network: check the network', 'nenhuma rota até a rede: verifique a rede'],
  ['{words}: check host, port and firewall', '{words}: confira host, porta e firewall'],
]
