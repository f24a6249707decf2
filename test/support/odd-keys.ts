import { readFileSync } from 'node:fs'
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
