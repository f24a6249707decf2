export const ENVIRONMENTS = ['sandbox', 'production'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** The path prefixes of the interfaces are their names. */
export const INTERFACES = ['account', 'payment', 'registration', 'open-banking', 'charges'] as const
export type Interface = (typeof INTERFACES)[number]

/** Path of the token endpoint, within the interface (service-decisions.md, Interfaces and base addresses). */
export const TOKEN_PATHS: Readonly<Record<Interface, string>> = {
  account: '/oauth/token',
  payment: '/v1/oauth/token',
  registration: '/v1/oauth/token',
  'open-banking': '/v1/oauth/token',
  charges: '/v1/authorize',
}

/** The charges interface is the only one that requires no account certificate. */
export function requiresCertificate(name: Interface): boolean {
  return name !== 'charges'
}
