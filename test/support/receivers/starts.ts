import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerOptions } from 'node:https'
import { join } from 'node:path'
import type { Express } from 'express'
import { spawnHaproxy } from '../haproxy.ts'
import { spawnNginx } from '../nginx.ts'
import { reservePort } from '../ports.ts'
import { startApache } from './apache.ts'
import { listen, type RunningApp, startApp } from './apps.ts'
import { startCaddy } from './caddy.ts'
import { startPhpFpm } from './php-fpm.ts'

/** What a receiver is made of. */
export interface Material {
  /** For its files; made when missing. */
  readonly folder: string
  /** Files of its server certificate, whose name is localhost. */
  readonly certificate: string
  readonly privateKey: string
  /** The service's published chain: the issuing certificate and the root. */
  readonly chain: string
  /** The issuing certificate alone. */
  readonly issuer: string
}

export interface RunningReceiver {
  /** As it would be registered. */
  readonly url: string
  /** Where its app writes callbacks. */
  readonly log: string
  stop(): Promise<void>
}

/** @param log the file that the app appends callbacks to */
export type CreateApp = (log: string) => Express
/** The text of a PHP script that appends callbacks to this file. */
export type WriteScript = (log: string) => string

/** What Debian's nginx.conf has. */
const PROTOCOLS_OF_DEBIAN = 'TLSv1 TLSv1.1 TLSv1.2 TLSv1.3'

interface NginxApp {
  /** Default: as Debian's package. */
  readonly protocols?: string
  /** Directives of the server. @param app the address of the app */
  readonly server: (app: string) => string
  readonly app: CreateApp
}

export async function startNginxWithApp(material: Material, options: NginxApp): Promise<RunningReceiver> {
  const { log, app, port } = await startBehind(material, options.app)
  const server = options.server(`http://127.0.0.1:${app.port}`)
  const { protocols = PROTOCOLS_OF_DEBIAN } = options
  const stop = await inFrontOf(app, () => spawnNginx({ ...material, port, protocols, server }))
  return running(port, log, stop)
}

interface NginxPhp {
  /** Directives of the server, and those beside `fastcgi_pass`. */
  readonly server: string
  readonly location?: string
  readonly script: WriteScript
}

export async function startNginxWithPhp(material: Material, options: NginxPhp): Promise<RunningReceiver> {
  const { folder } = material
  const log = logOf(material)
  const php = await startPhpFpm(join(folder, 'php'))
  writeFileSync(join(folder, 'webhook.php'), options.script(log))
  const port = await reservePort()
  const server = `${options.server} location /webhook {
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME ${folder}/webhook.php;
      ${options.location ?? ''}
      fastcgi_pass 127.0.0.1:${php.port};
    }`
  const protocols = PROTOCOLS_OF_DEBIAN
  const stop = await inFrontOf(php, () => spawnNginx({ ...material, port, protocols, server }))
  return running(port, log, stop)
}

interface ApachePhp {
  /** Directives of the virtual host. */
  readonly host: string
  readonly script: WriteScript
}

export async function startApacheWithPhp(material: Material, options: ApachePhp): Promise<RunningReceiver> {
  const { folder } = material
  const log = logOf(material)
  const php = await startPhpFpm(join(folder, 'php'))
  const site = join(folder, 'site')
  mkdirSync(site)
  writeFileSync(join(site, 'webhook.php'), options.script(log))
  const port = await reservePort()
  const host = `DocumentRoot ${site}
  Alias "/webhook" "${site}/webhook.php"
  <Directory ${site}>
    Require all granted
  </Directory>
  <FilesMatch "\\.php$">
    SetHandler "proxy:fcgi://127.0.0.1:${php.port}"
  </FilesMatch>
  ${options.host}`
  const stop = await inFrontOf(php, () => startApache({ ...material, port, host }))
  return running(port, log, stop)
}

interface ApacheApp {
  /** Directives outside of the virtual host. */
  readonly server?: string
  /** Directives of the virtual host. @param app the address of the app */
  readonly host: (app: string) => string
  readonly app: CreateApp
}

export async function startApacheWithApp(material: Material, options: ApacheApp): Promise<RunningReceiver> {
  const { log, app, port } = await startBehind(material, options.app)
  const host = options.host(`http://127.0.0.1:${app.port}`)
  const { server = '' } = options
  const stop = await inFrontOf(app, () => startApache({ ...material, port, server, host }))
  return running(port, log, stop)
}

interface CaddyApp {
  readonly global?: string
  /** In the block `tls`, beside `client_auth`. */
  readonly tls?: string
  /** The block `client_auth`, without its braces. */
  readonly clientAuth: string
  /** More directives of the site. */
  readonly site?: string
  /** Left out: every request goes to the app. @param app its address */
  readonly route?: (app: string) => string
  readonly app: CreateApp
}

export async function startCaddyWithApp(
  material: Material,
  { global, tls, clientAuth, site = '', route = (app) => `reverse_proxy ${app}`, ...options }: CaddyApp,
) {
  const { log, app, port } = await startBehind(material, options.app)
  const whole = `${site}\n  ${route(`127.0.0.1:${app.port}`)}`
  const stop = await inFrontOf(app, () => startCaddy({ ...material, port, global, tls, clientAuth, site: whole }))
  return running(port, log, stop)
}

/** Of Debian's package. */
const DEFAULT_GLOBAL = 'ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets'

interface HaproxyApp {
  /** Lines of the section global. */
  readonly global?: string
  /** Lines of the frontend. */
  readonly frontend?: string
  readonly app: CreateApp
}

/** Options and times are those of Debian's package, where no others are given. */
export async function startHaproxyWithApp(
  material: Material,
  { global = DEFAULT_GLOBAL, frontend = '', ...options }: HaproxyApp,
) {
  const { folder, certificate, privateKey, chain } = material
  const { log, app, port } = await startBehind(material, options.app)
  const pair = join(folder, 'server.pem')
  writeFileSync(pair, readFileSync(certificate, 'utf8') + readFileSync(privateKey, 'utf8'), { mode: 0o600 })
  const configuration = `  ${global}
defaults
  mode http
  timeout connect 5000
  timeout client 50000
  timeout server 50000
frontend callbacks
  bind 127.0.0.1:${port} ssl crt ${pair} ca-file ${chain} verify required
  ${frontend}
  default_backend app
backend app
  server app 127.0.0.1:${app.port}
`
  const stop = await inFrontOf(app, async () => (await spawnHaproxy(folder, configuration)).stop)
  return running(port, log, stop)
}

/** @param options in place of the published ones */
export async function startExpress(
  material: Material,
  options: ServerOptions,
  createApp: CreateApp,
): Promise<RunningReceiver> {
  const log = logOf(material)
  const published = {
    cert: readFileSync(material.certificate),
    key: readFileSync(material.privateKey),
    ca: readFileSync(material.chain),
    minVersion: 'TLSv1.2',
    requestCert: true,
    rejectUnauthorized: true,
  } as const
  const { port, stop } = await listen(createServer({ ...published, ...options }, createApp(log)))
  return running(port, log, stop)
}

async function startBehind(material: Material, createApp: CreateApp) {
  const log = logOf(material)
  return { log, app: await startApp(createApp(log)), port: await reservePort() }
}

/** Of a new receiver: empty. */
function logOf({ folder }: Material): string {
  mkdirSync(folder, { recursive: true })
  const log = join(folder, 'callbacks.log')
  writeFileSync(log, '')
  return log
}

/** Starts what ends TLS for an app, which is stopped behind it, or at once where it does not start. @returns what ends both */
async function inFrontOf(app: RunningApp, start: () => Promise<() => Promise<void>>): Promise<() => Promise<void>> {
  try {
    const stop = await start()
    return async () => {
      await stop()
      await app.stop()
    }
  } catch (error) {
    await app.stop()
    throw error
  }
}

function running(port: number, log: string, stop: () => Promise<void>): RunningReceiver {
  return { url: `https://localhost:${port}/webhook`, log, stop }
}
