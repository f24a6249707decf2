import { z } from 'zod'
import type { ClientPrincipal } from '../domain/client.ts'
import { personId } from '../domain/public-id.ts'
import type { DeviceGranted } from '../domain/sign-in/device-sign-in.ts'
import { UNREFRESHED_MS } from './asking.ts'
import type { Granted } from './provider.ts'
import { rightsOf, valuesAt } from './rights.ts'
import { createSealing } from './sealed.ts'
import type { OidcSettings } from './settings.ts'

/** An access token without a question to the provider. */
const ACCESS_MS = 60_000

const person = { subject: z.string(), name: z.string(), roles: z.array(z.string()).readonly() }
const accessSchema = z.strictObject({ ...person, until: z.number() })
const grantSchema = z.strictObject({ ...person, refreshToken: z.string(), confirmedAt: z.number() })

interface Person {
  readonly subject: string
  readonly name: string
  /** Those that the configuration names. */
  readonly roles: readonly string[]
}

/** The tokens of people who signed in on a device. Their rights follow the configuration; the roles are those of the last answer of the provider. */
export function createDeviceTokens(settings: OidcSettings, now: () => number) {
  const { issuer, claim } = settings
  const accesses = sealingOf(settings, 'device access', accessSchema)
  const grants = sealingOf(settings, 'device refresh', grantSchema)
  const ends = new WeakMap<ClientPrincipal, number>()

  function principalFor({ subject, name, roles }: Person): ClientPrincipal | null {
    const rights = rightsOf({ [claim]: roles }, settings)
    const id = personId(issuer, subject)
    const common = { kind: 'client', id, generation: 0, isBound: false } as const
    return rights && { ...common, ...rights, person: { issuer, subject, name } }
  }

  function personIn(claims: Granted['claims'], name: string): Person {
    const values = valuesAt(claims, claim) ?? []
    const roles = [...new Set(values)].filter((value) => settings.roles.some((role) => role.value === value))
    return { subject: claims.sub, name, roles }
  }

  return {
    personIn,
    openGrant: grants.open,
    /** @param at when the provider answered @returns null: no role matches */
    async tokensFor(one: Person, refreshToken: string | null, at: number): Promise<DeviceGranted | null> {
      const principal = principalFor(one)
      if (principal === null) return null
      const until = at + (refreshToken === null ? UNREFRESHED_MS : ACCESS_MS)
      return {
        kind: 'granted',
        principal,
        name: one.name,
        accessToken: await accesses.seal({ ...one, until }),
        expiresInS: Math.max(1, Math.floor((until - now()) / 1000)),
        refreshToken: refreshToken && (await grants.seal({ ...one, refreshToken, confirmedAt: at })),
      }
    },
    async principalOf(accessToken: string): Promise<ClientPrincipal | 'expired' | 'void' | null> {
      if (accessToken.split('.').length !== COMPACT_PARTS) return null
      const content = await accesses.open(accessToken)
      if (content === null) return null
      // A clock that was set back does not make it last longer.
      if (now() >= content.until || content.until - now() > UNREFRESHED_MS) return 'expired'
      const principal = principalFor(content)
      if (principal === null) return 'void'
      ends.set(principal, content.until)
      return principal
    },
    isOver: (principal: ClientPrincipal) => now() >= (ends.get(principal) ?? 0),
  }
}

/** RFC 7516, section 3.1; JWTs that are signed have three. */
const COMPACT_PARTS = 5

export function sealingOf<T>(settings: OidcSettings, purpose: string, schema: z.ZodType<T>) {
  const sealing = createSealing(settings, purpose)
  return {
    seal: (content: T) => sealing.seal(JSON.stringify(content)),
    async open(sealed: string): Promise<T | null> {
      const text = await sealing.open(sealed)
      // Another version may have sealed other content.
      return text === null ? null : (schema.safeParse(JSON.parse(text)).data ?? null)
    },
  }
}
