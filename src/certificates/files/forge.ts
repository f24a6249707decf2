import { createRequire } from 'node:module'
import type forge from 'node-forge'

/** node-forge with functions that its types lack. It reads and writes files and takes no part in decisions about trust. */
export type Forge = typeof forge & { readonly pki: { readonly pbe: PasswordBasedEncryption } }

interface PasswordBasedEncryption {
  /** Throws for an unknown algorithm. */
  getCipher(oid: string, parameters: forge.asn1.Asn1, password: string | null): Decryption
}

interface Decryption {
  update(input: forge.util.ByteBuffer): void
  /** False when the padding is wrong. */
  finish(): boolean
  readonly output: forge.util.ByteBuffer
}

/** Loaded on demand, because most commands do not need it. */
export async function loadForge(): Promise<Forge> {
  return (await import('node-forge')).default as Forge
}

/** The same without waiting: node-forge is a CommonJS module. */
export function loadForgeNow(): Forge {
  return createRequire(import.meta.url)('node-forge') as Forge
}
