import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from '../foreground-program.ts'
import { isOpen } from '../ports.ts'

export const hasApache = spawnSync('apache2', ['-v']).status === 0

/** What Debian's package configures for TLS: protocols, ciphers, the cache of sessions. */
const TLS_OF_DEBIAN = '/etc/apache2/mods-available/ssl.conf'
const MODULES = [
  'mpm_event',
  'socache_shmcb',
  'mime',
  'ssl',
  'authz_core',
  'alias',
  'rewrite',
  'reqtimeout',
  'proxy',
  'proxy_http',
  'proxy_fcgi',
]

export interface ApacheOptions {
  /** For its files; made when missing. */
  readonly folder: string
  readonly port: number
  /** Files of its server certificate. */
  readonly certificate: string
  readonly privateKey: string
  /** Directives outside of its only virtual host; by default none. */
  readonly server?: string
  /** Directives of its only virtual host. */
  readonly host: string
}

/** An Apache that listens with TLS on 127.0.0.1; as root its workers are Debian's `www-data`. @returns what ends it */
export function startApache(options: ApacheOptions): Promise<() => Promise<void>> {
  const { folder, port, certificate, privateKey, server = '', host } = options
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'apache.conf')
  writeFileSync(
    file,
    `${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
Define APACHE_RUN_DIR ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
TypesConfig /etc/mime.types
ServerName localhost
StartServers 1
ServerLimit 1
ThreadsPerChild 32
MaxRequestWorkers 32
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
Include ${TLS_OF_DEBIAN}
${server}
Listen 127.0.0.1:${port}
<VirtualHost *:${port}>
  SSLEngine on
  SSLCertificateFile ${certificate}
  SSLCertificateKeyFile ${privateKey}
  ${host}
</VirtualHost>
`,
  )
  return startProgram({ command: 'apache2', args: ['-D', 'FOREGROUND', '-f', file], isReady: () => isOpen(port) })
}
