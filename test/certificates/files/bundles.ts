import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Bundle } from '../../../src/certificates/files/bundle.ts'
import { readBundle } from '../../../src/certificates/files/bundle.ts'
import { writePkcs12 } from '../../../src/certificates/files/pkcs12-writer.ts'
import { PortariaError } from '../../../src/platform/errors.ts'

/** Reads a file of which no one is to be asked a password. */
export function readOpen(file: string): Promise<Bundle> {
  return readBundle(file, async (what) => {
    throw new Error(`asked for a password of ${what}`)
  })
}

/** What the bundle's certificates are called, in its order. */
export function subjectsOf({ certificates }: Pick<Bundle, 'certificates'>): string[] {
  return certificates.map(({ subject }) => subject)
}

/** The refusal that something ends with. */
export async function refusalOf(attempt: () => unknown): Promise<PortariaError> {
  try {
    await attempt()
  } catch (error) {
    if (error instanceof PortariaError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** A PKCS#12 file of a certificate and its key, PEM, with the password "secret". */
export function pkcs12Of(certificate: string, key: string): Promise<Buffer> {
  const chain = [new X509Certificate(certificate)]
  return writePkcs12({ key: createPrivateKey(key), chain, password: 'secret', name: 'test' })
}
