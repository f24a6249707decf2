import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TLSSocket } from 'node:tls'
import type { RequestHandler } from 'express'
import { hasHaproxy } from '../haproxy.ts'
import { hasNginx } from '../nginx.ts'
import { hasApache } from './apache.ts'
import { appendingApp, carefulApp, rememberingApp } from './apps.ts'
import { hasCaddy } from './caddy.ts'
import { appendingPhp, carefulPhp } from './php-apps.ts'
import { phpFpmProgram } from './php-fpm.ts'
import {
  type Material,
  type RunningReceiver,
  startApacheWithApp,
  startApacheWithPhp,
  startCaddyWithApp,
  startExpress,
  startHaproxyWithApp,
  startNginxWithApp,
  startNginxWithPhp,
} from './starts.ts'

export interface SetUp {
  /** As the documentation names it. */
  readonly title: string
  /** Whether the programs that it needs are installed. */
  readonly isInstalled: boolean
  start(material: Material): Promise<RunningReceiver>
}

const hasPhp = phpFpmProgram() !== null
const proxyTo = (app: string) => `location / { proxy_pass ${app}; }`
/** What an nginx and an Apache have in common. */
export const nginxTrust = ({ chain }: Material) => `ssl_client_certificate ${chain}; ssl_verify_depth 3;`
export const apacheTrust = ({ chain }: Material) =>
  `SSLCACertificateFile ${chain}\n  SSLVerifyClient require\n  SSLVerifyDepth 3`

const EVERY_SUFFIX = /^\/callback(\/{1,2}(pix|rec|cobr))?\/?$/

/** By scenario and program: the code of the report's remedy, for the issuer ISSUER, the address /callback and an app at 127.0.0.1:3000. */
export const REMEDIES = {
  sibling: {
    nginx: 'if ($ssl_client_i_dn != "ISSUER") { return 403; }',
    haproxy: 'http-request deny unless { ssl_c_i_dn(,0,rfc2253) -m str "ISSUER" }',
    apache: `Require expr "%{SSL_CLIENT_I_DN} == 'ISSUER'"`,
    caddy: 'trusted_ca_cert_file issuer.pem',
    express: 'caller.verify(issuer.publicKey)',
    php: "($_SERVER['SSL_CLIENT_I_DN'] ?? '') !== 'ISSUER'",
  },
  'suffix-double-slash': {
    nginx: 'location ~ ^/callback(/|$) { rewrite ^ /callback break; proxy_pass http://127.0.0.1:3000; }',
    haproxy: 'http-request set-path /callback if { path_beg /callback/ }',
    apache: 'RewriteRule "^/callback(/|$)" "http://127.0.0.1:3000/callback" [P]',
    caddy: 'rewrite /callback/* /callback',
    express: `app.post(${EVERY_SUFFIX}`,
  },
  'tls-older': {
    nginx: 'ssl_protocols TLSv1.2 TLSv1.3;',
    haproxy: 'ssl-default-bind-options ssl-min-ver TLSv1.2',
    apache: 'SSLProtocol -all +TLSv1.2 +TLSv1.3',
    caddy: 'protocols tls1.2 tls1.3',
    express: "minVersion: 'TLSv1.2'",
  },
  'session-without-certificate': {
    nginx: 'ssl_session_tickets off; ssl_session_cache off;',
    haproxy: 'tune.ssl.cachesize 0',
    apache: 'SSLSessionCache none',
  },
  'slow-body': {
    nginx: 'client_body_timeout 60s; proxy_request_buffering on;',
    haproxy: 'timeout client 60s',
    apache: 'RequestReadTimeout body=60,MinRate=1',
    caddy: 'read_body 60s',
  },
  'certificate-without-name': { caddy: 'default_sni callbacks.example.com' },
  'large-body': {
    nginx: 'client_max_body_size 16m;',
    apache: 'LimitRequestBody 16777216',
    caddy: 'max_size 16MB',
    express: "express.raw({ type: () => true, limit: '16mb' })",
  },
} as const

/** As they are set up by hand, with the chain that Document 1 says to install. */
export const HAND_MADE = {
  'nginx-on': {
    title: 'nginx, `ssl_verify_client on`',
    isInstalled: hasNginx,
    start: (material) =>
      startNginxWithApp(material, {
        server: (app) => `${nginxTrust(material)} ssl_verify_client on; ${proxyTo(app)}`,
        app: appendingApp,
      }),
  },
  'nginx-optional': {
    title: 'nginx, `optional` and 403',
    isInstalled: hasNginx,
    start: (material) =>
      startNginxWithApp(material, {
        server: (app) =>
          `${nginxTrust(material)} ssl_verify_client optional;
           if ($ssl_client_verify != SUCCESS) { return 403; } ${proxyTo(app)}`,
        app: appendingApp,
      }),
  },
  'nginx-name': {
    title: 'nginx, `optional_no_ca` and a check of the name',
    isInstalled: hasNginx,
    start: (material) =>
      startNginxWithApp(material, {
        server: (app) =>
          `ssl_verify_client optional_no_ca;
           if ($ssl_client_i_dn != "${nameOf(material.issuer)}") { return 403; } ${proxyTo(app)}`,
        app: appendingApp,
      }),
  },
  'nginx-published': {
    title: 'the published nginx recipe, an app that writes no disk',
    isInstalled: hasNginx,
    start: (material) =>
      startNginxWithApp(material, {
        server: (app) =>
          `${nginxTrust(material)} ssl_verify_client optional;
           location /webhook {
             if ($ssl_client_verify != SUCCESS) { return 403; }
             rewrite ^(.*)$ /webhook break;
             proxy_pass ${app};
           }`,
        app: rememberingApp,
      }),
  },
  'nginx-php': {
    title: 'nginx, `on`, and PHP',
    isInstalled: hasNginx && hasPhp,
    start: (material) =>
      startNginxWithPhp(material, {
        server: `${nginxTrust(material)} ssl_verify_client on;`,
        script: appendingPhp,
      }),
  },
  'express-unchecked': {
    title: 'Express, `rejectUnauthorized: false`',
    isInstalled: true,
    start: (material) => startExpress(material, { rejectUnauthorized: false }, appendingApp),
  },
  'express-authorized': {
    title: 'Express, `false` and `socket.authorized` in the route',
    isInstalled: true,
    start: (material) =>
      startExpress(material, { rejectUnauthorized: false }, (log) => appendingApp(log, onlyAuthorized)),
  },
  apache: {
    title: 'Apache, `require`, and PHP',
    isInstalled: hasApache && hasPhp,
    start: (material) => startApacheWithPhp(material, { host: apacheTrust(material), script: appendingPhp }),
  },
  caddy: {
    title: 'Caddy, `require_and_verify`',
    isInstalled: hasCaddy,
    start: (material) =>
      startCaddyWithApp(material, {
        clientAuth: `mode require_and_verify\n      trusted_ca_cert_file ${material.chain}`,
        app: appendingApp,
      }),
  },
  haproxy: {
    title: 'haproxy, `verify required`',
    isInstalled: hasHaproxy,
    start: (material) => startHaproxyWithApp(material, { app: appendingApp }),
  },
} as const satisfies Readonly<Record<string, SetUp>>

/** The same programs with the remedies that the report names, and an app or a script that stores each fact once before it answers. */
export const MENDED = {
  nginx: {
    title: 'nginx',
    isInstalled: hasNginx,
    start: (material) =>
      startNginxWithApp(material, {
        protocols: REMEDIES['tls-older'].nginx.replace(/^ssl_protocols |;$/g, ''),
        server: (app) =>
          `${nginxTrust(material)} ssl_verify_client on; ${mend(REMEDIES.sibling.nginx, material)}
           ${REMEDIES['session-without-certificate'].nginx} ${REMEDIES['slow-body'].nginx} ${REMEDIES['large-body'].nginx}
           ${mend(REMEDIES['suffix-double-slash'].nginx, material, app)}`,
        app: (log) => carefulApp(log, { route: '/webhook' }),
      }),
  },
  'nginx-php': {
    title: 'nginx and PHP',
    isInstalled: hasNginx && hasPhp,
    start: (material) =>
      startNginxWithPhp(material, {
        server: `${nginxTrust(material)} ssl_verify_client on;`,
        location: 'fastcgi_param SSL_CLIENT_VERIFY $ssl_client_verify; fastcgi_param SSL_CLIENT_I_DN $ssl_client_i_dn;',
        script: (log) => carefulPhp(log, mend(REMEDIES.sibling.php, material)),
      }),
  },
  express: {
    title: 'Express',
    isInstalled: true,
    start: (material) =>
      startExpress(material, {}, (log) =>
        carefulApp(log, {
          route: RegExp(EVERY_SUFFIX.source.replace('callback', 'webhook')),
          guard: onlyIssuedBy(material.issuer),
        }),
      ),
  },
  apache: {
    title: 'Apache',
    isInstalled: hasApache,
    start: (material) =>
      startApacheWithApp(material, {
        server: REMEDIES['session-without-certificate'].apache,
        host: (app) => `${apacheTrust(material)}
  ${REMEDIES['tls-older'].apache}
  SSLSessionTickets off
  ${REMEDIES['slow-body'].apache}
  <Location "/webhook">
    ${mend(REMEDIES.sibling.apache, material)}
    ${REMEDIES['large-body'].apache}
  </Location>
  RewriteEngine on
  ${mend(REMEDIES['suffix-double-slash'].apache, material, app)}`,
        app: (log) => carefulApp(log, { route: '/webhook' }),
      }),
  },
  'apache-php': {
    title: 'Apache and PHP',
    isInstalled: hasApache && hasPhp,
    start: (material) =>
      startApacheWithPhp(material, {
        host: `${apacheTrust(material)}\n  SSLOptions +StdEnvVars`,
        script: (log) => carefulPhp(log, mend(REMEDIES.sibling.php, material)),
      }),
  },
  caddy: {
    title: 'Caddy',
    isInstalled: hasCaddy,
    start: (material) =>
      startCaddyWithApp(material, {
        global: `servers {
    protocols h1 h2
    timeouts {
      ${REMEDIES['slow-body'].caddy}
    }
  }
  ${REMEDIES['certificate-without-name'].caddy.replace('callbacks.example.com', 'localhost')}`,
        tls: REMEDIES['tls-older'].caddy,
        clientAuth: `mode require_and_verify\n      ${REMEDIES.sibling.caddy.replace('issuer.pem', material.issuer)}`,
        site: `request_body {
    ${REMEDIES['large-body'].caddy}
  }
  ${mend(REMEDIES['suffix-double-slash'].caddy, material)}`,
        app: (log) => carefulApp(log, { route: '/webhook' }),
      }),
  },
  haproxy: {
    title: 'haproxy',
    isInstalled: hasHaproxy,
    start: (material) =>
      startHaproxyWithApp(material, {
        global: `${REMEDIES['tls-older'].haproxy} no-tls-tickets
  ${REMEDIES['session-without-certificate'].haproxy}`,
        frontend: `${mend(REMEDIES.sibling.haproxy, material)}
  ${mend(REMEDIES['suffix-double-slash'].haproxy, material)}
  ${REMEDIES['slow-body'].haproxy}`,
        app: (log) => carefulApp(log, { route: '/webhook' }),
      }),
  },
} as const satisfies Readonly<Record<string, SetUp>>

/** A remedy for this receiver. @param app the address of its app, where the remedy has one */
export function mend(remedy: string, { issuer }: Material, app = ''): string {
  return remedy
    .replace('ISSUER', nameOf(issuer))
    .replaceAll('/callback', '/webhook')
    .replace('http://127.0.0.1:3000', app)
}

/** The subject of a certificate as nginx, Apache and haproxy write it (RFC 2253). @param file PEM */
function nameOf(file: string): string {
  return new X509Certificate(readFileSync(file)).subject.split('\n').reverse().join(',')
}

const onlyAuthorized: RequestHandler = (request, response, next) => {
  if ((request.socket as TLSSocket).authorized) next()
  else response.status(401).end()
}

export function onlyIssuedBy(file: string): RequestHandler {
  const issuer = new X509Certificate(readFileSync(file))
  return function refuseOthers(request, response, next) {
    const caller = new X509Certificate((request.socket as TLSSocket).getPeerCertificate().raw)
    if (caller.verify(issuer.publicKey)) next()
    else response.status(403).end()
  }
}
