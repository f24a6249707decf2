import type { Site } from '../site.ts'

/** What the public registry knows of a CPF or CNPJ. A member that is left out agrees with every request. */
export interface RegistryEntry {
  /** CPF or CNPJ. */
  readonly document: string
  readonly active: boolean
  readonly name?: string | undefined
  /** YYYY-MM-DD. */
  readonly birthDate?: string | undefined
  readonly motherName?: string | undefined
}

/** The entries that the control API set. Every other document is active. */
export function registryOf(site: Site) {
  return site.collection<RegistryEntry>('registry')
}

/** Names agree whatever their case, accents and spaces. True where the registry or the request has none. */
export function isSameName(known: string | undefined, given: string | undefined): boolean {
  return known === undefined || given === undefined || plain(known) === plain(given)
}

function plain(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').trim().replace(/\s+/g, ' ').toUpperCase()
}
