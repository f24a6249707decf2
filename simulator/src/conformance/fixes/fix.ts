import type { Language, Text } from '../text.ts'

/** As the words of a report name them. */
const NAMES = {
  nginx: 'nginx',
  haproxy: 'haproxy',
  apache: 'Apache',
  caddy: 'Caddy',
  express: 'Express',
  php: 'PHP',
  alb: 'AWS Application Load Balancer',
} as const

export type Server = keyof typeof NAMES
export const SERVERS = Object.keys(NAMES) as readonly Server[]

export function serverName(server: Server): string {
  return NAMES[server]
}

const EXAMPLE: Tried = { path: '/callback', issuer: 'ISSUER' }

/** What to write where; code alone is the same in every language. */
export type Fix = Readonly<Record<Server, Text | string>>

/** What was tried, in place of the examples of the fixes. */
export interface Tried {
  /** Of the registered address, without a slash at its end. */
  readonly path: string
  /** Subject of the issuing certificate (RFC 2253). */
  readonly issuer: string
}

export function fixIn(fix: Fix, language: Language, tried: Tried = EXAMPLE): Record<Server, string> {
  const path = tried.path === '' ? EXAMPLE.path : tried.path
  const one = (server: Server) => {
    const words = fix[server]
    return (typeof words === 'string' ? words : words[language])
      .replaceAll('\\/callback', path.replaceAll('/', '\\/'))
      .replaceAll('/callback', path)
      .replaceAll('BASE', tried.path)
      .replaceAll('ISSUER', tried.issuer)
  }
  return Object.fromEntries(SERVERS.map((server) => [server, one(server)])) as Record<Server, string>
}
