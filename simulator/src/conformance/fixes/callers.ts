import { type Language, type Text, text } from '../text.ts'
import { type Fix, fixIn, SERVERS, type Server } from './fix.ts'

const BEHIND = text('PHP does not speak TLS: set this in the server in front of it.')

export const REQUIRE_CERTIFICATE: Fix = {
  nginx: text(
    'ssl_client_certificate /path/chain.pem; ssl_verify_depth 2; ssl_verify_client on; in every server block of this port, the default_server too.',
  ),
  haproxy: text('ca-file /path/chain.pem verify required on every bind line of this port.'),
  apache: text(
    'SSLCACertificateFile /path/chain.pem, SSLVerifyClient require and SSLVerifyDepth 2 in every VirtualHost of this port, and not in a Location.',
  ),
  caddy: text(
    'client_auth in the block of tls, with the lines mode require_and_verify and trusted_ca_cert_file issuer.pem (since Caddy 2.8: trust_pool file issuer.pem).',
  ),
  express: 'https.createServer({ ca: chain, requestCert: true, rejectUnauthorized: true, … })',
  php: text('{behind} Beside that: {code}', {
    behind: BEHIND,
    code: "if (($_SERVER['SSL_CLIENT_VERIFY'] ?? '') !== 'SUCCESS') { http_response_code(403); exit; }",
  }),
  alb: text(
    'aws elbv2 create-trust-store --name callbacks --ca-certificates-bundle-s3-bucket BUCKET --ca-certificates-bundle-s3-key chain.pem, and for each HTTPS listener: aws elbv2 modify-listener --listener-arn LISTENER --mutual-authentication Mode=verify,TrustStoreArn=TRUST_STORE (https://docs.aws.amazon.com/elasticloadbalancing/latest/application/mutual-authentication.html)',
  ),
}

export const PIN_ISSUER: Fix = {
  nginx: text(
    'nginx accepts every issuer below the root of the chain. In every server block: if ($ssl_client_i_dn != "ISSUER") { return 403; } ISSUER is the subject of the issuing certificate (openssl x509 -noout -subject -nameopt RFC2253).',
  ),
  haproxy: text(
    'haproxy accepts every issuer below the root of the chain. In the frontend: http-request deny unless { ssl_c_i_dn(,0,rfc2253) -m str "ISSUER" }',
  ),
  apache: text(
    'Apache accepts every issuer below the root. In the Location of the callback: Require expr "%{SSL_CLIENT_I_DN} == \'ISSUER\'" in place of every other Require: beside one, either is enough. ISSUER is the subject of the issuing certificate (openssl x509 -noout -subject -nameopt RFC2253).',
  ),
  caddy: text(
    'trusted_ca_cert_file issuer.pem (since Caddy 2.8: trust_pool file issuer.pem), with the issuing certificate alone, without its root: Caddy then accepts what it issued, and nothing else.',
  ),
  express: text(
    "Behind rejectUnauthorized: true, in front of the route: const issuer = new X509Certificate(readFileSync('issuer.pem')); const caller = new X509Certificate(request.socket.getPeerCertificate().raw); if (!caller.verify(issuer.publicKey)) return response.status(403).end(). Not in the event secureConnection: the request may be handled already.",
  ),
  php: text(
    "if (($_SERVER['SSL_CLIENT_I_DN'] ?? '') !== 'ISSUER') { http_response_code(403); exit; } nginx passes it with fastcgi_param SSL_CLIENT_I_DN $ssl_client_i_dn; Apache with SSLOptions +StdEnvVars.",
  ),
  alb: text(
    "The load balancer accepts every issuer below an authority of its trust store, and passes the name on. In the application: if (request.get('x-amzn-mtls-clientcert-issuer') !== 'ISSUER') return response.status(403).end(). Its security group lets only the load balancer in.",
  ),
}

export const VERIFY_CERTIFICATE: Fix = {
  nginx: text('ssl_verify_client on, not optional_no_ca: names in a certificate that is not verified prove nothing.'),
  haproxy: text('verify required on the bind line, not verify optional, and neither ca-ignore-err nor crt-ignore-err.'),
  apache: text('SSLVerifyClient require, not optional_no_ca.'),
  caddy: text('mode require_and_verify, not require or request.'),
  express: text('rejectUnauthorized: true, and the chain as ca. A check of the subject is none.'),
  php: text("Compare SSL_CLIENT_VERIFY with 'SUCCESS', not only the names."),
  alb: text(
    '--mutual-authentication Mode=verify,TrustStoreArn=TRUST_STORE,IgnoreClientCertificateExpiry=false, not Mode=passthrough: that mode verifies nothing.',
  ),
}

export const TLS_VERSIONS: Fix = {
  nginx: 'ssl_protocols TLSv1.2 TLSv1.3;',
  haproxy: 'ssl-default-bind-options ssl-min-ver TLSv1.2',
  apache: 'SSLProtocol -all +TLSv1.2 +TLSv1.3',
  caddy: text('In the block of tls: protocols tls1.2 tls1.3'),
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
  const all = SERVERS.map((server) => [server, { en: join('en', server), pt: join('pt', server) }])
  return Object.fromEntries(all) as Record<Server, Text>
}

export const NO_RESUMPTION: Fix = {
  nginx: 'ssl_verify_client on; ssl_session_tickets off; ssl_session_cache off;',
  haproxy: text('verify required and no-tls-tickets on the bind line; tune.ssl.cachesize 0 in global.'),
  apache: text(
    'SSLVerifyClient require and SSLSessionTickets off in each VirtualHost; SSLSessionCache none outside of them.',
  ),
  caddy: 'mode require_and_verify',
  express: text(
    'rejectUnauthorized: true. With false, socket.authorized of some versions is true for a resumed session without a certificate.',
  ),
  php: BEHIND,
  alb: text(
    '--mutual-authentication Mode=verify,TrustStoreArn=TRUST_STORE: a listener with mutual TLS resumes no session.',
  ),
}

export const OWN_CERTIFICATE: Fix = {
  nginx: text('ssl_certificate names the full chain (leaf, then intermediates), the same in the default_server.'),
  haproxy: text(
    'crt site.pem on the bind line, with leaf, intermediates and key; the first crt of the line is shown without a name, so no strict-sni.',
  ),
  apache: text('SSLCertificateFile names the full chain, the same in the first VirtualHost of the port.'),
  caddy: text('tls fullchain.pem key.pem, and in the global options: default_sni callbacks.example.com'),
  express: text('cert: the full chain, leaf first; no SNICallback that gives another one.'),
  php: BEHIND,
  alb: text(
    'The certificate is the default one of the listener, which is shown without a name: aws elbv2 modify-listener --listener-arn LISTENER --certificates CertificateArn=CERTIFICATE',
  ),
}
