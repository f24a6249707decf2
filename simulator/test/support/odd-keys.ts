import { readFileSync } from 'node:fs'
import { connect, type SecureVersion } from 'node:tls'
import { createAuthority } from './authority.ts'
import { temporaryFolder } from './temporary-folder.ts'

/**
 * A trusted server certificate, sent with a CA certificate that could have issued it by its name. The key of that one is on a curve without a NIST
 * name: reading it as `getPeerCertificate(true)` does ends the process.
 */
export function serverWithOddKey(host: string): { readonly cert: string; readonly key: string; readonly ca: string } {
  const { issue } = createAuthority(temporaryFolder())
  const names = [`subjectAltName = DNS:${host}`, 'authorityKeyIdentifier = none', 'extendedKeyUsage = serverAuth']
  const subject = '/CN=authority'
  const extensions = ['basicConstraints = critical,CA:TRUE', 'authorityKeyIdentifier = none']
  const root = issue({ name: 'root', subject, extensions })
  const odd = issue({ name: 'odd', subject, extensions, keyType: 'ec:secp256k1' })
  const server = issue({ name: 'server', subject: `/CN=${host}`, issuer: root, extensions: names })
  return { cert: server.cert + odd.cert, key: readFileSync(server.keyFile, 'utf8'), ca: root.cert }
}

/** A request with this certificate. @returns the answer; '' where the connection is refused */
export function greet(port: number, version: SecureVersion, who: { cert: string; key: string }): Promise<string> {
  const versions = { minVersion: version, maxVersion: version }
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...versions, ...who })
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes.toString()))
  socket.on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  return new Promise((resolve) => socket.once('close', () => resolve(answer)))
}

/** Requests with certificates whose own keys are on such curves: reading one as `getPeerCertificate()` does ends the process. */
export async function greetWithOddKeys(port: number): Promise<void> {
  const { issue } = createAuthority(temporaryFolder())
  for (const curve of ['secp256k1', 'brainpoolP256r1', 'brainpoolP384r1', 'brainpoolP512r1']) {
    const { cert, keyFile } = issue({ name: curve, keyType: `ec:${curve}` })
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
      await greet(port, version, { cert, key: readFileSync(keyFile, 'utf8') })
  }
}
