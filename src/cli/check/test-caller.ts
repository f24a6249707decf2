import { issueAuthority, issueLeaf } from '../../certificates/development/test-ca.ts'

/**
 * A caller that no server may let in, made on the spot: named like the laboratory service, with keys that nobody has seen. A server that takes it
 * takes everybody, or goes by names.
 */
export async function laboratoryCaller(now: Date): Promise<{ certificate: string; privateKey: string }> {
  const root = await issueAuthority({ name: 'Laboratory service root', now })
  const issuer = await issueAuthority({ name: 'Laboratory service production CA', now, issuer: root })
  const leaf = await issueLeaf({ name: 'Laboratory service production', usage: 'client', now, issuer })
  return { certificate: leaf.certificate + issuer.certificate, privateKey: leaf.privateKey }
}
