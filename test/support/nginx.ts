import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startProgram } from './foreground-program.ts'
import { isOpen } from './ports.ts'
import { until } from './until.ts'

export const hasNginx = spawnSync('nginx', ['-v']).status === 0

/** Debian's package libnginx-mod-stream. */
const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so'
export const hasNginxStream = hasNginx && existsSync(STREAM_MODULE)

export interface NginxOptions {
  /** For its files; made when missing. */
  readonly folder: string
  readonly port: number
  /** Files of its server certificate. */
  readonly certificate: string
  readonly privateKey: string
  /** Directives of its only server. */
  readonly server: string
  /** Behind the port in its `listen`; by default nothing. */
  readonly listen?: string
  /** Default: TLSv1.2 TLSv1.3. */
  readonly protocols?: string
}

/** An nginx that listens with TLS on 127.0.0.1 until the test is over. */
export async function startNginx(options: NginxOptions): Promise<void> {
  onTestFinished(await spawnNginx(options))
}

/** An nginx that listens with TLS on 127.0.0.1. @returns what ends it */
export async function spawnNginx(options: NginxOptions): Promise<() => Promise<void>> {
  const { folder, port, server, listen = '', protocols = 'TLSv1.2 TLSv1.3' } = options
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
     http { access_log off; ${temporaryPaths(folder)}
       server { listen 127.0.0.1:${port} ssl ${listen}; ssl_protocols ${protocols};
         ssl_certificate ${options.certificate}; ssl_certificate_key ${options.privateKey}; ${server} } }`,
  )
  const args = ['-c', join(folder, 'nginx.conf'), '-p', folder]
  return startProgram({ command: 'nginx', args, isReady: () => isOpen(port) })
}

export interface NginxFiles {
  readonly folder: string
  /** What an installation has in sites-enabled: `server` blocks. */
  readonly sites: string
  /** What it has behind `http` in nginx.conf: a `stream` block, or nothing. */
  readonly stream: string
}

export interface InstalledNginx {
  /** As `nginx -t && systemctl reload nginx` does; new connections may reach the earlier configuration for some milliseconds. */
  reload(files: Omit<NginxFiles, 'folder'>): void
}

/** An nginx with master and workers, as Debian's package starts it, until the test is over. @param port on which it listens then */
export async function installNginx({ folder, ...files }: NginxFiles, port: number): Promise<InstalledNginx> {
  const file = join(folder, 'nginx.conf')
  const write = ({ sites, stream }: Omit<NginxFiles, 'folder'>) =>
    writeFileSync(
      file,
      `load_module ${STREAM_MODULE}; user root; daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
       http { access_log ${folder}/access.log; ${temporaryPaths(folder)} ${sites} }\n${stream}`,
    )
  write(files)
  const nginx = spawn('nginx', ['-c', file, '-p', folder], { stdio: 'ignore' })
  const exited = once(nginx, 'exit')
  onTestFinished(async () => {
    nginx.kill('SIGTERM')
    await exited
  })
  await until(() => isOpen(port))

  function reload(changed: Omit<NginxFiles, 'folder'>): void {
    write(changed)
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', file, '-p', folder], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    nginx.kill('SIGHUP')
  }
  return { reload }
}

/** It cannot use those of its package as an ordinary user. */
function temporaryPaths(folder: string): string {
  const names = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return names.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
}
