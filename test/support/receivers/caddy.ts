import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from '../foreground-program.ts'
import { isOpen } from '../ports.ts'

export const hasCaddy = spawnSync('caddy', ['version']).status === 0

export interface CaddyOptions {
  /** For its files; made when missing. */
  readonly folder: string
  readonly port: number
  /** Files of its server certificate. */
  readonly certificate: string
  readonly privateKey: string
  /** Global options; default: HTTP/1 and 2, because UDP of a reserved port is taken. */
  readonly global?: string | undefined
  /** In the block `tls`, beside `client_auth`. */
  readonly tls?: string | undefined
  /** The block `client_auth`, without its braces. */
  readonly clientAuth: string
  /** Directives of its only site. */
  readonly site: string
}

const HTTP_1_AND_2 = `servers {
    protocols h1 h2
  }`

/** A Caddy that listens with TLS on 127.0.0.1. @returns what ends it */
export function startCaddy(options: CaddyOptions): Promise<() => Promise<void>> {
  const { folder, port, certificate, privateKey, global = HTTP_1_AND_2, tls = '', clientAuth, site } = options
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'Caddyfile')
  writeFileSync(
    file,
    `{
  ${global}
  admin off
  auto_https disable_redirects
}
https://localhost:${port} {
  bind 127.0.0.1
  tls ${certificate} ${privateKey} {
    ${tls}
    client_auth {
      ${clientAuth}
    }
  }
  ${site}
}
`,
  )
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const args = ['run', '--config', file, '--adapter', 'caddyfile']
  return startProgram({ command: 'caddy', args, env, isReady: () => isOpen(port) })
}
