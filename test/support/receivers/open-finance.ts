import { OPEN_FINANCE_ROUTES } from '../../../simulator/src/conformance/fixes/answers.ts'
import { fixIn } from '../../../simulator/src/conformance/fixes/fix.ts'
import { hasHaproxy } from '../haproxy.ts'
import { hasNginx } from '../nginx.ts'
import { hasApache } from './apache.ts'
import { carefulApp } from './apps.ts'
import { hasCaddy } from './caddy.ts'
import { apacheTrust, mend, nginxTrust, onlyIssuedBy, REMEDIES, type SetUp } from './set-ups.ts'
import {
  type Material,
  startApacheWithApp,
  startCaddyWithApp,
  startExpress,
  startHaproxyWithApp,
  startNginxWithApp,
} from './starts.ts'

const ROUTES = fixIn(OPEN_FINANCE_ROUTES, 'en', { path: '/webhook', issuer: '' })
const [, ROUTE = ''] = /app\.post\('([^']+)'/.exec(ROUTES.express) ?? []

/** An app that answers as open finance wants. */
const app = (log: string) => carefulApp(log, { route: ROUTE, isAccepted: true })
const atApp = (remedy: string, address: string) => remedy.replace('http://127.0.0.1:3000', address)

/** Receivers of open finance, with the routes and the pinned issuer that the report names. */
export const OPEN_FINANCE: Readonly<Record<string, SetUp>> = {
  nginx: {
    title: 'nginx',
    isInstalled: hasNginx,
    start: (material) =>
      startNginxWithApp(material, {
        protocols: 'TLSv1.2 TLSv1.3',
        server: (address) =>
          `${nginxTrust(material)} ssl_verify_client on; ${mend(REMEDIES.sibling.nginx, material)}
           client_max_body_size 16m; ${atApp(ROUTES.nginx, address)}`,
        app,
      }),
  },
  haproxy: {
    title: 'haproxy',
    isInstalled: hasHaproxy,
    start: (material) =>
      startHaproxyWithApp(material, {
        frontend: `${mend(REMEDIES.sibling.haproxy, material)}\n  ${ROUTES.haproxy}`,
        app,
      }),
  },
  apache: {
    title: 'Apache',
    isInstalled: hasApache,
    start: (material) =>
      startApacheWithApp(material, {
        host: (address) => `${apacheTrust(material)}
  ${REMEDIES['tls-older'].apache}
  <Location "/webhook">
    ${mend(REMEDIES.sibling.apache, material)}
  </Location>
  ${atApp(ROUTES.apache, address)}`,
        app,
      }),
  },
  caddy: {
    title: 'Caddy',
    isInstalled: hasCaddy,
    start: (material) =>
      startCaddyWithApp(material, {
        global: `servers {
    protocols h1 h2
  }
  default_sni localhost`,
        clientAuth: `mode require_and_verify\n      ${REMEDIES.sibling.caddy.replace('issuer.pem', material.issuer)}`,
        route: (address) => ROUTES.caddy.replace('127.0.0.1:3000', address),
        app,
      }),
  },
  express: {
    title: 'Express',
    isInstalled: true,
    start: (material: Material) =>
      startExpress(material, {}, (log) =>
        carefulApp(log, { route: ROUTE, isAccepted: true, guard: onlyIssuedBy(material.issuer) }),
      ),
  },
}
