import { type Language, type Text, text } from './text.ts'

export const SERVERS = ['nginx', 'apache', 'caddy', 'node', 'php'] as const
export type Server = (typeof SERVERS)[number]

const EXAMPLE: Tried = { path: '/callback', issuer: 'ISSUER' }

/** What to write where; code alone is the same in every language. */
export type Fix = Readonly<Record<Server, Text | string>>

/** What was tried, in place of the examples of the fixes. */
export interface Tried {
  /** Of the registered address, without a slash at its end. */
  readonly path: string
  /** Subject of the issuing certificate (RFC 2253). */
  readonly issuer: string
}

export function fixIn(fix: Fix, language: Language, tried: Tried = EXAMPLE): Record<Server, string> {
  const path = tried.path === '' ? EXAMPLE.path : tried.path
  const one = (server: Server) => {
    const words = fix[server]
    return (typeof words === 'string' ? words : words[language])
      .replaceAll('\\/callback', path.replaceAll('/', '\\/'))
      .replaceAll('/callback', path)
      .replaceAll('ISSUER', tried.issuer)
  }
  return Object.fromEntries(SERVERS.map((server) => [server, one(server)])) as Record<Server, string>
}

const BEHIND = text(
  'PHP does not speak TLS: set this in the server in front of it.',
  'O PHP não fala TLS: configure isto no servidor à frente dele.',
)

export const REQUIRE_CERTIFICATE: Fix = {
  nginx: text(
    'ssl_client_certificate /path/chain.pem; ssl_verify_depth 2; ssl_verify_client on; in every server block of this port, the default_server too.',
    'ssl_client_certificate /caminho/chain.pem; ssl_verify_depth 2; ssl_verify_client on; em cada bloco server desta porta, também no default_server.',
  ),
  apache: text(
    'SSLCACertificateFile /path/chain.pem, SSLVerifyClient require and SSLVerifyDepth 2 in every VirtualHost of this port, and not in a Location.',
    'SSLCACertificateFile /caminho/chain.pem, SSLVerifyClient require e SSLVerifyDepth 2 em cada VirtualHost desta porta, e não em um Location.',
  ),
  caddy: text(
    'client_auth in the block of tls, with the lines mode require_and_verify and trusted_ca_cert_file issuer.pem (since Caddy 2.8: trust_pool file issuer.pem).',
    'client_auth no bloco de tls, com as linhas mode require_and_verify e trusted_ca_cert_file issuer.pem (desde o Caddy 2.8: trust_pool file issuer.pem).',
  ),
  node: 'https.createServer({ ca: chain, requestCert: true, rejectUnauthorized: true, … })',
  php: text(
    `${BEHIND.en} Beside that: if (($_SERVER['SSL_CLIENT_VERIFY'] ?? '') !== 'SUCCESS') { http_response_code(403); exit; }`,
    `${BEHIND.pt} Além disso: if (($_SERVER['SSL_CLIENT_VERIFY'] ?? '') !== 'SUCCESS') { http_response_code(403); exit; }`,
  ),
}

export const PIN_ISSUER: Fix = {
  nginx: text(
    'nginx accepts every issuer below the root of the chain. In every server block: if ($ssl_client_i_dn != "ISSUER") { return 403; } ISSUER is the subject of the issuing certificate (openssl x509 -noout -subject -nameopt RFC2253).',
    'O nginx aceita todo emissor abaixo da raiz da cadeia. Em cada bloco server: if ($ssl_client_i_dn != "ISSUER") { return 403; } ISSUER é o subject do certificado emissor (openssl x509 -noout -subject -nameopt RFC2253).',
  ),
  apache: text(
    `Apache accepts every issuer below the root. In the Location of the callback: Require expr "%{SSL_CLIENT_I_DN} == 'ISSUER'" in place of every other Require: beside one, either is enough. ISSUER is the subject of the issuing certificate (openssl x509 -noout -subject -nameopt RFC2253).`,
    `O Apache aceita todo emissor abaixo da raiz. No Location do callback: Require expr "%{SSL_CLIENT_I_DN} == 'ISSUER'" no lugar de qualquer outro Require: junto de outro, basta um deles. ISSUER é o subject do certificado emissor (openssl x509 -noout -subject -nameopt RFC2253).`,
  ),
  caddy: text(
    'trusted_ca_cert_file issuer.pem (since Caddy 2.8: trust_pool file issuer.pem), with the issuing certificate alone, without its root: Caddy then accepts what it issued, and nothing else.',
    'trusted_ca_cert_file issuer.pem (desde o Caddy 2.8: trust_pool file issuer.pem), somente com o certificado emissor, sem a raiz: o Caddy aceita então só o que ele emitiu.',
  ),
  node: text(
    "Behind rejectUnauthorized: true, in front of the route: const issuer = new X509Certificate(readFileSync('issuer.pem')); const caller = new X509Certificate(request.socket.getPeerCertificate().raw); if (!caller.verify(issuer.publicKey)) return response.status(403).end(). Not in the event secureConnection: the request may be handled already.",
    "Além de rejectUnauthorized: true, à frente da rota: const issuer = new X509Certificate(readFileSync('issuer.pem')); const caller = new X509Certificate(request.socket.getPeerCertificate().raw); if (!caller.verify(issuer.publicKey)) return response.status(403).end(). Não no evento secureConnection: a requisição pode já estar em tratamento.",
  ),
  php: text(
    "if (($_SERVER['SSL_CLIENT_I_DN'] ?? '') !== 'ISSUER') { http_response_code(403); exit; } nginx passes it with fastcgi_param SSL_CLIENT_I_DN $ssl_client_i_dn; Apache with SSLOptions +StdEnvVars.",
    "if (($_SERVER['SSL_CLIENT_I_DN'] ?? '') !== 'ISSUER') { http_response_code(403); exit; } O nginx o passa com fastcgi_param SSL_CLIENT_I_DN $ssl_client_i_dn; o Apache com SSLOptions +StdEnvVars.",
  ),
}

export const VERIFY_CERTIFICATE: Fix = {
  nginx: text(
    'ssl_verify_client on, not optional_no_ca: names in a certificate that is not verified prove nothing.',
    'ssl_verify_client on, e não optional_no_ca: nomes em um certificado não verificado não provam nada.',
  ),
  apache: text('SSLVerifyClient require, not optional_no_ca.', 'SSLVerifyClient require, e não optional_no_ca.'),
  caddy: text('mode require_and_verify, not require or request.', 'mode require_and_verify, e não require ou request.'),
  node: text(
    'rejectUnauthorized: true, and the chain as ca. A check of the subject is none.',
    'rejectUnauthorized: true, e a cadeia como ca. Comparar o subject não verifica nada.',
  ),
  php: text(
    "Compare SSL_CLIENT_VERIFY with 'SUCCESS', not only the names.",
    "Compare SSL_CLIENT_VERIFY com 'SUCCESS', e não só os nomes.",
  ),
}

export const TLS_VERSIONS: Fix = {
  nginx: 'ssl_protocols TLSv1.2 TLSv1.3;',
  apache: 'SSLProtocol -all +TLSv1.2 +TLSv1.3',
  caddy: text('In the block of tls: protocols tls1.2 tls1.3', 'No bloco de tls: protocols tls1.2 tls1.3'),
  node: "minVersion: 'TLSv1.2'",
  php: BEHIND,
}

export const VERSIONS_WITH_CERTIFICATE = both(TLS_VERSIONS, REQUIRE_CERTIFICATE)

function both(first: Fix, second: Fix): Fix {
  const join = (language: Language, server: Server) => {
    const [one, other] = [first, second].map((fix) => fixIn(fix, language)[server]) as [string, string]
    return other.startsWith(one) ? other : `${one.replace(/[.;]$/, '')}; ${other}`
  }
  const all = SERVERS.map((server) => [server, text(join('en', server), join('pt', server))])
  return Object.fromEntries(all) as Record<Server, Text>
}

export const NO_RESUMPTION: Fix = {
  nginx: 'ssl_verify_client on; ssl_session_tickets off; ssl_session_cache off;',
  apache: text(
    'SSLVerifyClient require and SSLSessionTickets off in each VirtualHost; SSLSessionCache none outside of them.',
    'SSLVerifyClient require e SSLSessionTickets off em cada VirtualHost; SSLSessionCache none fora deles.',
  ),
  caddy: 'mode require_and_verify',
  node: text(
    'rejectUnauthorized: true. With false, socket.authorized of some versions is true for a resumed session without a certificate.',
    'rejectUnauthorized: true. Com false, socket.authorized de algumas versões é true em uma sessão retomada sem certificado.',
  ),
  php: BEHIND,
}

export const ANSWER_WELL: Fix = {
  nginx: text(
    'Let the location of the callback reach the application, and answer 2xx from it: error.log says why it did not.',
    'Faça o location do callback chegar à aplicação, e responda 2xx por ela: o error.log diz por que não respondeu.',
  ),
  apache: text(
    'ProxyPass the path to the application: error.log says why it was not answered.',
    'Use ProxyPass do caminho para a aplicação: o error.log diz por que não foi respondido.',
  ),
  caddy: 'reverse_proxy 127.0.0.1:3000',
  node: "app.post('/callback', (request, response) => { /* store, then */ response.status(200).send('200') })",
  php: "http_response_code(200); echo '200';",
}

export const ROUTES: Fix = {
  nginx: 'location ~ ^/callback(/|$) { rewrite ^ /callback break; proxy_pass http://127.0.0.1:3000; }',
  apache: text(
    'Two lines: RewriteEngine on and RewriteRule "^/callback(/|$)" "http://127.0.0.1:3000/callback" [P]',
    'Duas linhas: RewriteEngine on e RewriteRule "^/callback(/|$)" "http://127.0.0.1:3000/callback" [P]',
  ),
  caddy: text(
    'Two lines: rewrite /callback/* /callback and reverse_proxy 127.0.0.1:3000',
    'Duas linhas: rewrite /callback/* /callback e reverse_proxy 127.0.0.1:3000',
  ),
  node: text(
    'app.post(/^\\/callback(\\/{1,2}(pix|rec|cobr))?\\/?$/, …), and let no value of the query decide.',
    'app.post(/^\\/callback(\\/{1,2}(pix|rec|cobr))?\\/?$/, …), e nenhum valor da query deve decidir.',
  ),
  php: text(
    'Let one front controller take /callback and what follows it.',
    'Deixe um front controller receber /callback e o que vem depois.',
  ),
}

export const ANY_BODY: Fix = {
  nginx: text(
    'nginx passes every body on: change the application.',
    'O nginx repassa qualquer corpo: mude a aplicação.',
  ),
  apache: text(
    'Apache passes every body on: change the application.',
    'O Apache repassa qualquer corpo: mude a aplicação.',
  ),
  caddy: text(
    'Caddy passes every body on: change the application.',
    'O Caddy repassa qualquer corpo: mude a aplicação.',
  ),
  node: text(
    "express.raw({ type: () => true, limit: '16mb' }): store the bytes first, and parse them afterwards, without failing.",
    "express.raw({ type: () => true, limit: '16mb' }): grave os bytes primeiro, e interprete depois, sem falhar.",
  ),
  php: text(
    "$body = file_get_contents('php://input'); store it first, and do not fail where json_decode gives null.",
    "$body = file_get_contents('php://input'); grave primeiro, e não falhe quando json_decode der null.",
  ),
}

export const LARGE_BODY: Fix = {
  nginx: 'client_max_body_size 16m;',
  apache: 'LimitRequestBody 16777216',
  caddy: text('In the block of request_body: max_size 16MB', 'No bloco de request_body: max_size 16MB'),
  node: "express.raw({ type: () => true, limit: '16mb' })",
  php: 'post_max_size = 16M',
}

export const SLOW_CLIENTS: Fix = {
  nginx: 'client_body_timeout 60s; proxy_request_buffering on;',
  apache: 'RequestReadTimeout body=60,MinRate=1',
  caddy: text(
    'In the global options, in the block of servers and in that of timeouts: read_body 60s',
    'Nas opções globais, no bloco de servers e no de timeouts: read_body 60s',
  ),
  node: text(
    'server.requestTimeout = 60_000, and an error handler on each request: a cut connection must not end the process.',
    'server.requestTimeout = 60_000, e um tratador de erros em cada requisição: uma conexão cortada não pode encerrar o processo.',
  ),
  php: 'max_input_time = 60',
}

export const NO_REDIRECT: Fix = {
  nginx: text(
    'No return 301 and no rewrite for the callback; register the URL that answers itself.',
    'Sem return 301 nem rewrite para o callback; registre a URL que responde ela mesma.',
  ),
  apache: text(
    'No Redirect, RewriteRule [R] or DirectorySlash for the callback.',
    'Sem Redirect, RewriteRule [R] ou DirectorySlash para o callback.',
  ),
  caddy: text('No redir for the callback.', 'Sem redir para o callback.'),
  node: text(
    'No response.redirect, and no login in front of the callback.',
    'Sem response.redirect, e sem login à frente do callback.',
  ),
  php: text("No header('Location: …') for the callback.", "Sem header('Location: …') para o callback."),
}

export const OWN_CERTIFICATE: Fix = {
  nginx: text(
    'ssl_certificate names the full chain (leaf, then intermediates), the same in the default_server.',
    'ssl_certificate indica a cadeia completa (folha, depois intermediários), a mesma no default_server.',
  ),
  apache: text(
    'SSLCertificateFile names the full chain, the same in the first VirtualHost of the port.',
    'SSLCertificateFile nomeia a cadeia completa, a mesma no primeiro VirtualHost da porta.',
  ),
  caddy: text(
    'tls fullchain.pem key.pem, and in the global options: default_sni callbacks.example.com',
    'tls fullchain.pem key.pem, e nas opções globais: default_sni callbacks.example.com',
  ),
  node: text(
    'cert: the full chain, leaf first; no SNICallback that gives another one.',
    'cert: a cadeia completa, folha primeiro; sem SNICallback que dê outra.',
  ),
  php: BEHIND,
}

const UNIQUE_FACT = text(
  'A unique index on id and status of each fact, and insert … on conflict do nothing. Not on a charge token: it is the same for several facts.',
  'Um índice único por id e status de cada fato, e insert … on conflict do nothing. Não para um token de cobrança: ele é o mesmo para vários fatos.',
)
const STORES_NOTHING = text('The application stores: change it.', 'Quem grava é a aplicação: mude-a.')

export const STORE_ONCE: Fix = {
  nginx: STORES_NOTHING,
  apache: STORES_NOTHING,
  caddy: STORES_NOTHING,
  node: UNIQUE_FACT,
  php: UNIQUE_FACT,
}

export const STORE_FIRST: Fix = {
  nginx: text(
    'nginx stores nothing: answer from the application, not with return 200.',
    'O nginx não grava nada: responda pela aplicação, e não com return 200.',
  ),
  apache: text(
    'Apache stores nothing: answer from the application.',
    'O Apache não grava nada: responda pela aplicação.',
  ),
  caddy: text(
    'Caddy stores nothing: answer from the application, not with respond.',
    'O Caddy não grava nada: responda pela aplicação, e não com respond.',
  ),
  node: text(
    "await the commit of the whole body, each fact of it, before response.send; 503 where it fails. Read the body with express.raw({ type: () => true, limit: '16mb' }): express.json leaves out that of other content types.",
    "Use await no commit do corpo inteiro, cada fato dele, antes de response.send; 503 se falhar. Leia o corpo com express.raw({ type: () => true, limit: '16mb' }): o express.json deixa de fora o de outros content types.",
  ),
  php: text(
    'Commit (or fsync of the file) before the first echo; http_response_code(503) where it fails.',
    'Commit (ou fsync do arquivo) antes do primeiro echo; http_response_code(503) se falhar.',
  ),
}
