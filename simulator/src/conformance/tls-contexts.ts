import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import type { Credentials } from '../webhooks/secure-contexts.ts'
import type { TlsVersion } from './scenario.ts'

/**
 * Contexts of callers. The authorities only decide what `authorizationError` says: every certificate of the receiver is accepted, and its own scenarios
 * judge it. Versions below 1.2 need OpenSSL's lowest security level.
 * @param authorities PEM; null: the public ones
 */
export function createContexts(authorities: string | null) {
  const known = new Map<string, SecureContext>()
  return function contextFor(credentials: Credentials | null, version?: TlsVersion): SecureContext {
    const key = `${version} ${credentials?.certificate}`
    const found = known.get(key)
    if (found !== undefined) return found
    const isOld = version === 'TLSv1' || version === 'TLSv1.1'
    const context = createSecureContext({
      minVersion: version ?? 'TLSv1.2',
      maxVersion: version ?? 'TLSv1.3',
      ca: authorities === null ? [...rootCertificates] : authorities,
      ...(isOld && { ciphers: 'DEFAULT@SECLEVEL=0' }),
      ...(credentials !== null && { cert: credentials.certificate, key: credentials.privateKey }),
    })
    known.set(key, context)
    return context
  }
}
