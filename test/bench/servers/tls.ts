import { readFileSync } from 'node:fs'

/** The same mutual TLS for every server that Portaria is compared with. */
export function mutualTls(certs: string) {
  return {
    cert: readFileSync(`${certs}/server.crt`),
    key: readFileSync(`${certs}/server.key`),
    ca: [readFileSync(`${certs}/trust/production.pem`), readFileSync(`${certs}/trust/sandbox.pem`)],
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2' as const,
  }
}
