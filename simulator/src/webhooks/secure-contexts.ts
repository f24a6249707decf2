import { createSecureContext, rootCertificates, type SecureContext, type SecureVersion } from 'node:tls'

export interface SecureContextOptions {
  readonly credentials: Credentials | null
  /** PEM of authorities besides the public ones. */
  readonly receiverCa: string | null
  readonly tlsVersion: SecureVersion | undefined
}

const MOST = 50
const contexts = new Map<string, SecureContext>()

/** TLS 1.2 to 1.3, or one version: one below 1.2 needs OpenSSL's lowest security level. Reading the public authorities takes some 40 ms, so that each context is made once. */
export function secureContextFor({ credentials, receiverCa, tlsVersion }: SecureContextOptions): SecureContext {
  const key = [tlsVersion, receiverCa, credentials?.certificate, credentials?.privateKey].join('\n')
  const known = contexts.get(key)
  if (known !== undefined) return known
  const isOld = tlsVersion === 'TLSv1' || tlsVersion === 'TLSv1.1'
  const context = createSecureContext({
    ...(isOld && { ciphers: 'DEFAULT@SECLEVEL=0' }),
    minVersion: tlsVersion ?? 'TLSv1.2',
    maxVersion: tlsVersion ?? 'TLSv1.3',
    ca: receiverCa === null ? [...rootCertificates] : [...rootCertificates, receiverCa],
    ...(credentials !== null && { cert: credentials.certificate, key: credentials.privateKey }),
  })
  if (contexts.size >= MOST) contexts.clear()
  contexts.set(key, context)
  return context
}

/** A certificate chain and its key, PEM. */
export interface Credentials {
  readonly certificate: string
  readonly privateKey: string
}
