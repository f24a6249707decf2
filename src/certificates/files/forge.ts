import type forge from 'node-forge'

/** node-forge with what its types leave out. It reads and writes files; no decision about trust goes through it. */
export type Forge = typeof forge & { readonly pki: { readonly pbe: PasswordBasedEncryption } }

interface PasswordBasedEncryption {
  /** Throws for an algorithm that it does not know. */
  getCipher(oid: string, parameters: forge.asn1.Asn1, password: string | null): Decryption
}

interface Decryption {
  update(input: forge.util.ByteBuffer): void
  /** False when the padding is wrong. */
  finish(): boolean
  readonly output: forge.util.ByteBuffer
}

/** Loaded by those who need it: most commands don't. */
export async function loadForge(): Promise<Forge> {
  return (await import('node-forge')).default as Forge
}
