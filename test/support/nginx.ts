import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { until } from './until.ts'

export const hasNginx = spawnSync('nginx', ['-v']).status === 0

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
  const { folder, port, server, listen = '', protocols = 'TLSv1.2 TLSv1.3' } = options
  mkdirSync(folder, { recursive: true })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
     http { access_log off; ${temporary.join(' ')}
       server { listen 127.0.0.1:${port} ssl ${listen}; ssl_protocols ${protocols};
         ssl_certificate ${options.certificate}; ssl_certificate_key ${options.privateKey}; ${server} } }`,
  )
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' })
  onTestFinished(() => void nginx.kill('SIGKILL'))
  await until(() => isOpen(port))
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
