import { type Language, type Text, text } from '../text.ts'
import { type Fix, fixIn, SERVERS, type Server } from './fix.ts'

const BEHIND = text(
  'PHP does not speak TLS: set this in the server in front of it.',
  'O PHP não fala TLS: configure isto no servidor à frente dele.',
)

export const REQUIRE_CERTIFICATE: Fix = {
  nginx: text(
    'ssl_client_certificate /path/chain.pem; ssl_verify_depth 2; ssl_verify_client on; in every server block of this port, the default_server too.',
    'ssl_client_certificate /caminho/chain.pem; ssl_verify_depth 2; ssl_verify_client on; em cada bloco server desta porta, também no default_server.',
  ),
  haproxy: text(
    'ca-file /path/chain.pem verify required on every bind line of this port.',
    'ca-file /caminho/chain.pem verify required em cada linha bind desta porta.',
  ),
  apache: text(
    'SSLCACertificateFile /path/chain.pem, SSLVerifyClient require and SSLVerifyDepth 2 in every VirtualHost of this port, and not in a Location.',
    'SSLCACertificateFile /caminho/chain.pem, SSLVerifyClient require e SSLVerifyDepth 2 em cada VirtualHost desta porta, e não em um Location.',
  ),
  caddy: text(
    'client_auth in the block of tls, with the lines mode require_and_verify and trusted_ca_cert_file issuer.pem (since Caddy 2.8: trust_pool file issuer.pem).',
    'client_auth no bloco de tls, com as linhas mode require_and_verify e trusted_ca_cert_file issuer.pem (desde o Caddy 2.8: trust_pool file issuer.pem).',
  ),
  express: 'https.createServer({ ca: chain, requestCert: true, rejectUnauthorized: true, … })',
  php: text(
    `${BEHIND.en} Beside that: if (($_SERVER['SSL_CLIENT_VERIFY'] ?? '') !== 'SUCCESS') { http_response_code(403); exit; }`,
    `${BEHIND.pt} Além disso: if (($_SERVER['SSL_CLIENT_VERIFY'] ?? '') !== 'SUCCESS') { http_response_code(403); exit; }`,
  ),
  alb: text(
    'aws elbv2 create-trust-store --name callbacks --ca-certificates-bundle-s3-bucket BUCKET --ca-certificates-bundle-s3-key chain.pem, and for each HTTPS listener: aws elbv2 modify-listener --listener-arn LISTENER --mutual-authentication Mode=verify,TrustStoreArn=TRUST_STORE (https://docs.aws.amazon.com/elasticloadbalancing/latest/application/mutual-authentication.html)',
    'aws elbv2 create-trust-store --name callbacks --ca-certificates-bundle-s3-bucket BUCKET --ca-certificates-bundle-s3-key chain.pem, e para cada listener HTTPS: aws elbv2 modify-listener --listener-arn LISTENER --mutual-authentication Mode=verify,TrustStoreArn=TRUST_STORE (https://docs.aws.amazon.com/elasticloadbalancing/latest/application/mutual-authentication.html)',
  ),
}

export const PIN_ISSUER: Fix = {
  nginx: text(
    'nginx accepts every issuer below the root of the chain. In every server block: if ($ssl_client_i_dn != "ISSUER") { return 403; } ISSUER is the subject of the issuing certificate (openssl x509 -noout -subject -nameopt RFC2253).',
    'O nginx aceita todo emissor abaixo da raiz da cadeia. Em cada bloco server: if ($ssl_client_i_dn != "ISSUER") { return 403; } ISSUER é o subject do certificado emissor (openssl x509 -noout -subject -nameopt RFC2253).',
  ),
  haproxy: text(
    'haproxy accepts every issuer below the root of the chain. In the frontend: http-request deny unless { ssl_c_i_dn(,0,rfc2253) -m str "ISSUER" }',
    'O haproxy aceita todo emissor abaixo da raiz da cadeia. No frontend: http-request deny unless { ssl_c_i_dn(,0,rfc2253) -m str "ISSUER" }',
  ),
  apache: text(
    `Apache accepts every issuer below the root. In the Location of the callback: Require expr "%{SSL_CLIENT_I_DN} == 'ISSUER'" in place of every other Require: beside one, either is enough. ISSUER is the subject of the issuing certificate (openssl x509 -noout -subject -nameopt RFC2253).`,
    `O Apache aceita todo emissor abaixo da raiz. No Location do callback: Require expr "%{SSL_CLIENT_I_DN} == 'ISSUER'" no lugar de qualquer outro Require: junto de outro, basta um deles. ISSUER é o subject do certificado emissor (openssl x509 -noout -subject -nameopt RFC2253).`,
  ),
  caddy: text(
    'trusted_ca_cert_file issuer.pem (since Caddy 2.8: trust_pool file issuer.pem), with the issuing certificate alone, without its root: Caddy then accepts what it issued, and nothing else.',
    'trusted_ca_cert_file issuer.pem (desde o Caddy 2.8: trust_pool file issuer.pem), somente com o certificado emissor, sem a raiz: o Caddy aceita então só o que ele emitiu.',
  ),
  express: text(
    "Behind rejectUnauthorized: true, in front of the route: const issuer = new X509Certificate(readFileSync('issuer.pem')); const caller = new X509Certificate(request.socket.getPeerCertificate().raw); if (!caller.verify(issuer.publicKey)) return response.status(403).end(). Not in the event secureConnection: the request may be handled already.",
    "Além de rejectUnauthorized: true, à frente da rota: const issuer = new X509Certificate(readFileSync('issuer.pem')); const caller = new X509Certificate(request.socket.getPeerCertificate().raw); if (!caller.verify(issuer.publicKey)) return response.status(403).end(). Não no evento secureConnection: a requisição pode já estar em tratamento.",
  ),
  php: text(
    "if (($_SERVER['SSL_CLIENT_I_DN'] ?? '') !== 'ISSUER') { http_response_code(403); exit; } nginx passes it with fastcgi_param SSL_CLIENT_I_DN $ssl_client_i_dn; Apache with SSLOptions +StdEnvVars.",
    "if (($_SERVER['SSL_CLIENT_I_DN'] ?? '') !== 'ISSUER') { http_response_code(403); exit; } O nginx o passa com fastcgi_param SSL_CLIENT_I_DN $ssl_client_i_dn; o Apache com SSLOptions +StdEnvVars.",
  ),
  alb: text(
    "The load balancer accepts every issuer below an authority of its trust store, and passes the name on. In the application: if (request.get('x-amzn-mtls-clientcert-issuer') !== 'ISSUER') return response.status(403).end(). Its security group lets only the load balancer in.",
    "O balanceador aceita todo emissor abaixo de uma autoridade do trust store, e repassa o nome. Na aplicação: if (request.get('x-amzn-mtls-clientcert-issuer') !== 'ISSUER') return response.status(403).end(). O security group dela só deixa entrar o balanceador.",
  ),
}

export const VERIFY_CERTIFICATE: Fix = {
  nginx: text(
    'ssl_verify_client on, not optional_no_ca: names in a certificate that is not verified prove nothing.',
    'ssl_verify_client on, e não optional_no_ca: nomes em um certificado não verificado não provam nada.',
  ),
  haproxy: text(
    'verify required on the bind line, not verify optional, and neither ca-ignore-err nor crt-ignore-err.',
    'verify required na linha bind, e não verify optional, sem ca-ignore-err nem crt-ignore-err.',
  ),
  apache: text('SSLVerifyClient require, not optional_no_ca.', 'SSLVerifyClient require, e não optional_no_ca.'),
  caddy: text('mode require_and_verify, not require or request.', 'mode require_and_verify, e não require ou request.'),
  express: text(
    'rejectUnauthorized: true, and the chain as ca. A check of the subject is none.',
    'rejectUnauthorized: true, e a cadeia como ca. Comparar o subject não verifica nada.',
  ),
  php: text(
    "Compare SSL_CLIENT_VERIFY with 'SUCCESS', not only the names.",
    "Compare SSL_CLIENT_VERIFY com 'SUCCESS', e não só os nomes.",
  ),
  alb: text(
    '--mutual-authentication Mode=verify,TrustStoreArn=TRUST_STORE,IgnoreClientCertificateExpiry=false, not Mode=passthrough: that mode verifies nothing.',
    '--mutual-authentication Mode=verify,TrustStoreArn=TRUST_STORE,IgnoreClientCertificateExpiry=false, e não Mode=passthrough: esse modo nada verifica.',
  ),
}

export const TLS_VERSIONS: Fix = {
  nginx: 'ssl_protocols TLSv1.2 TLSv1.3;',
  haproxy: 'ssl-default-bind-options ssl-min-ver TLSv1.2',
  apache: 'SSLProtocol -all +TLSv1.2 +TLSv1.3',
  caddy: text('In the block of tls: protocols tls1.2 tls1.3', 'No bloco de tls: protocols tls1.2 tls1.3'),
  express: "minVersion: 'TLSv1.2'",
  php: BEHIND,
  alb: 'aws elbv2 modify-listener --listener-arn LISTENER --ssl-policy ELBSecurityPolicy-TLS13-1-2-2021-06',
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
  haproxy: text(
    'verify required and no-tls-tickets on the bind line; tune.ssl.cachesize 0 in global.',
    'verify required e no-tls-tickets na linha bind; tune.ssl.cachesize 0 em global.',
  ),
  apache: text(
    'SSLVerifyClient require and SSLSessionTickets off in each VirtualHost; SSLSessionCache none outside of them.',
    'SSLVerifyClient require e SSLSessionTickets off em cada VirtualHost; SSLSessionCache none fora deles.',
  ),
  caddy: 'mode require_and_verify',
  express: text(
    'rejectUnauthorized: true. With false, socket.authorized of some versions is true for a resumed session without a certificate.',
    'rejectUnauthorized: true. Com false, socket.authorized de algumas versões é true em uma sessão retomada sem certificado.',
  ),
  php: BEHIND,
  alb: text(
    '--mutual-authentication Mode=verify,TrustStoreArn=TRUST_STORE: a listener with mutual TLS resumes no session.',
    '--mutual-authentication Mode=verify,TrustStoreArn=TRUST_STORE: um listener com TLS mútuo não retoma sessões.',
  ),
}

export const OWN_CERTIFICATE: Fix = {
  nginx: text(
    'ssl_certificate names the full chain (leaf, then intermediates), the same in the default_server.',
    'ssl_certificate indica a cadeia completa (folha, depois intermediários), a mesma no default_server.',
  ),
  haproxy: text(
    'crt site.pem on the bind line, with leaf, intermediates and key; the first crt of the line is shown without a name, so no strict-sni.',
    'crt site.pem na linha bind, com folha, intermediários e chave; o primeiro crt da linha é apresentado sem nome, então sem strict-sni.',
  ),
  apache: text(
    'SSLCertificateFile names the full chain, the same in the first VirtualHost of the port.',
    'SSLCertificateFile nomeia a cadeia completa, a mesma no primeiro VirtualHost da porta.',
  ),
  caddy: text(
    'tls fullchain.pem key.pem, and in the global options: default_sni callbacks.example.com',
    'tls fullchain.pem key.pem, e nas opções globais: default_sni callbacks.example.com',
  ),
  express: text(
    'cert: the full chain, leaf first; no SNICallback that gives another one.',
    'cert: a cadeia completa, folha primeiro; sem SNICallback que dê outra.',
  ),
  php: BEHIND,
  alb: text(
    'The certificate is the default one of the listener, which is shown without a name: aws elbv2 modify-listener --listener-arn LISTENER --certificates CertificateArn=CERTIFICATE',
    'O certificado é o padrão do listener, que é apresentado sem nome: aws elbv2 modify-listener --listener-arn LISTENER --certificates CertificateArn=CERTIFICATE',
  ),
}
