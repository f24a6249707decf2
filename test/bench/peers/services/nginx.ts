import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reservePort } from '../../../support/ports.ts'
import type { Manner } from '../../processes.ts'
import type { BenchSite } from '../../site.ts'
import { accepts, startService } from './service.ts'

/** nginx with the same mutual TLS as the servers, and connections that it keeps. @param location what it does with a callback */
export async function startNginx(
  { folder: site, certs }: BenchSite,
  manner: Manner,
  location: string,
  upstream = '',
): Promise<{ readonly pids: readonly number[]; readonly port: number }> {
  const folder = join(site, 'nginx')
  mkdirSync(folder, { recursive: true })
  const port = await reservePort()
  const trust = ['production', 'sandbox'].map((name) => readFileSync(join(certs, 'trust', `${name}.pem`), 'utf8'))
  writeFileSync(join(folder, 'trust.pem'), trust.join('\n'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const configuration = `
daemon off;
worker_processes auto;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${upstream}
  server {
    listen 127.0.0.1:${port} ssl;
    keepalive_requests 1000000000;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate ${certs}/server.crt;
    ssl_certificate_key ${certs}/server.key;
    ssl_client_certificate ${folder}/trust.pem;
    ssl_verify_client on;
    ssl_verify_depth 3;
    location / { ${location} }
  }
}
`
  writeFileSync(join(folder, 'nginx.conf'), configuration)
  const command = ['/usr/sbin/nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')]
  return { pids: [await startService(site, command, manner, () => accepts(port))], port }
}
