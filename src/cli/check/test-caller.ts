import { issueAuthority, issueLeaf } from '../../certificates/development/test-ca.ts'

/**
 * A client certificate that no server may accept, created for this check: it has the names of the test CA and new keys. A server that accepts it
 * accepts every caller, or compares only names.
 */
export async function untrustedCaller(now: Date): Promise<{ certificate: string; privateKey: string }> {
  const root = await issueAuthority({ name: 'Test service root', now })
  const issuer = await issueAuthority({ name: 'Test service production CA', now, issuer: root })
  const leaf = await issueLeaf({ name: 'Test service production', usage: 'client', now, issuer })
  return { certificate: leaf.certificate + issuer.certificate, privateKey: leaf.privateKey }
}
