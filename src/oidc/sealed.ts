import { hkdfSync } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, errors } from 'jose'
import type { OidcSettings } from './settings.ts'

/** Encrypts texts (AES-256-GCM) that a browser keeps, with a key that every node derives from the client secret. */
export interface Sealing {
  seal(text: string): Promise<string>
  /** null: another key sealed it, or it was changed. */
  open(sealed: string): Promise<string | null>
}

/** @param purpose texts that were sealed for another one do not open */
export function createSealing(
  { issuer, clientId, clientSecret }: Pick<OidcSettings, 'issuer' | 'clientId' | 'clientSecret'>,
  purpose: string,
): Sealing {
  const salt = JSON.stringify([issuer, clientId])
  const key = new Uint8Array(hkdfSync('sha256', clientSecret, salt, `portaria ${purpose}`, 32))
  return {
    seal: (text) => new CompactEncrypt(Buffer.from(text)).setProtectedHeader(HEADER).encrypt(key),
    async open(sealed) {
      try {
        const allowed = { keyManagementAlgorithms: [HEADER.alg], contentEncryptionAlgorithms: [HEADER.enc] }
        return Buffer.from((await compactDecrypt(sealed, key, allowed)).plaintext).toString('utf8')
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return null
        throw error
      }
    },
  }
}

const HEADER = { alg: 'dir', enc: 'A256GCM' }
