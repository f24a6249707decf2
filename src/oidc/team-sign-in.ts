/** The sign-in of people at an OpenID provider: authorization code flow with PKCE, state and nonce. */

import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { PageSessionStore } from '../domain/nodes/page-session.ts'
import { personId } from '../domain/public-id.ts'
import type { DeviceSignIn } from '../domain/sign-in/device-sign-in.ts'
import { createCountedLineLimit } from '../platform/line-limit.ts'
import type { Log } from '../platform/log.ts'
import { createTurns } from '../platform/turns.ts'
import { unlessAborted } from '../service/time-limit.ts'
import { createDeviceSignIn } from './device.ts'
import { isUnreachable, ProviderRefused } from './failure.ts'
import { hashOf } from './grants.ts'
import { nameIn, type TeamPerson } from './known.ts'
import { createLogout } from './logout.ts'
import { createOnce } from './once.ts'
import { createPeople, type People } from './people.ts'
import { createProvider, type Granted } from './provider.ts'
import { createSignInLog, type RefusalReason, reasonFor, type SignInRefused } from './refused.ts'
import { createSealing } from './sealed.ts'
import type { OidcSettings } from './settings.ts'

export interface Begun {
  /** Address of the callback, as the browser names this gateway. */
  readonly redirectUri: string
  /** Where the sign-in leads. */
  readonly next: string
}

export type Completed =
  | { readonly kind: 'person'; readonly person: TeamPerson; readonly next: string }
  | { readonly kind: 'unreachable'; readonly next: string }
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
      /** Of `provider` its error code, of `role` the person's name. */
      readonly detail: string | null
      readonly next: string | null
    }

export interface TeamSignIn {
  /** Host of the issuer. */
  readonly provider: string
  readonly people: People
  readonly devices: DeviceSignIn
  /** false: the provider cannot be reached. */
  isReachable(): Promise<boolean>
  /** `unreachable`: also where the provider does not answer in time. `unusable`: its answer is not valid. @property sealed for the browser that begins it */
  begin(begun: Begun): Promise<{ readonly location: string; readonly sealed: string } | 'unreachable' | 'unusable'>
  /** @param query of the callback, with its `?` @param sealed from `begin`, as the browser kept it; null: it has none */
  complete(query: string, sealed: string | null): Promise<Completed>
  /** Ends sessions by a logout token. `unreachable`: its keys cannot be fetched now. */
  logout(token: string): Promise<'done' | 'invalid' | 'unreachable'>
  close(): Promise<void>
}

/** How long a person waits for the provider's metadata, before the browser is led there. */
const BEGIN_MS = 5000
/** How long a person may take at the provider. */
export const BEGUN_MS = 600_000
const EXCHANGES = { places: 8, placesOfKey: 8, waitingOfKey: 100 }
const SIXTY_A_MINUTE = { lines: 60, perMs: 60_000 }

const begunSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  next: z.string(),
  until: z.number(),
})

export function openTeamSignIn(
  settings: OidcSettings,
  {
    onEnded,
    shared = null,
    now,
    log,
    beginMs = BEGIN_MS,
  }: {
    readonly onEnded: () => void
    /** Sessions that other nodes know, too; null: there are none. */
    readonly shared?: PageSessionStore | null
    readonly now: () => number
    readonly log: Log
    readonly beginMs?: number
  },
): TeamSignIn {
  const takeLine = createCountedLineLimit(now, SIXTY_A_MINUTE)
  const logging = createSignInLog(settings, takeLine, log)
  const { onUnreachable, onRefused } = logging
  const provider = createProvider(settings, now)
  const people = createPeople(settings, { provider, shared, onEnded, ...logging, now, log })
  const sealing = createSealing(settings, 'begun sign-in')
  const exchanges = createTurns(EXCHANGES)
  const used = createOnce(now)
  const devices = createDeviceSignIn(settings, { provider, ...logging, now })
  const logout = createLogout(settings.issuer, { provider, people, shared, takeLine, now, log })

  async function reach<T>(ask: () => Promise<T>): Promise<T | 'unreachable' | 'unusable'> {
    try {
      return await ask()
    } catch (error) {
      // An answer that is not valid helps no person either.
      onUnreachable(error)
      return error instanceof ProviderRefused ? 'unusable' : 'unreachable'
    }
  }

  function refuse(refused: SignInRefused, next: string | null, detail: string | null = null): Completed {
    onRefused(refused)
    return { kind: 'refused', reason: refused.reason, detail, next }
  }

  /** @param code of an error that the provider sent with the browser; null: none */
  function failed(error: unknown, code: string | null, next: string): Completed {
    if (isUnreachable(error)) {
      onUnreachable(error)
      return { kind: 'unreachable', next }
    }
    if (code === null) return refuse({ reason: reasonFor(error), error }, next)
    return refuse({ reason: 'provider', error }, next, /^[\x20-\x7e]{1,100}$/.test(code) ? code : null)
  }

  async function begunIn(sealed: string | null) {
    const text = sealed === null ? null : await sealing.open(sealed)
    const begun = text === null ? null : begunSchema.parse(JSON.parse(text))
    return begun === null || now() >= begun.until || begun.until - now() > BEGUN_MS ? null : begun
  }

  /** Only after an answer of the provider: other callers make no entries in the database. */
  async function takeEverywhere(state: string, until: number): Promise<boolean> {
    const hash = hashOf(settings.issuer, `state ${state}`)
    return shared === null || (await shared.takeOnce({ hash, at: now(), until }))
  }

  async function exchange(query: string, begun: z.output<typeof begunSchema>): Promise<Granted> {
    const leave = await exchanges.take('')
    try {
      return await provider.exchange(query, begun, begun.redirectUri)
    } finally {
      leave()
    }
  }

  return {
    provider: new URL(settings.issuer).host,
    people,
    devices,
    isReachable: async () => (await reach(() => provider.discover())) === true,
    begin: ({ redirectUri, next }) =>
      reach(async () => {
        await unlessAborted(provider.discover(), AbortSignal.timeout(beginMs))
        const secrets = await provider.newSecrets()
        const location = await provider.addressOf(secrets, redirectUri)
        const begun = { ...secrets, redirectUri, next, until: now() + BEGUN_MS }
        return { location, sealed: await sealing.seal(JSON.stringify(begun)) }
      }),
    async complete(query, sealed) {
      const begun = await begunIn(sealed)
      if (begun === null) return refuse({ reason: 'begun' }, null)
      const { next, state, until } = begun
      const given = new URLSearchParams(query)
      if (!isSame(given.get('state'), state)) return refuse({ reason: 'begun' }, next)
      if (!used.take(state, until)) return refuse({ reason: 'begun' }, next)
      const granted = await exchange(query, begun).catch((error) => failed(error, given.get('error'), next))
      if ('kind' in granted) return granted
      if (!(await takeEverywhere(state, until))) return refuse({ reason: 'begun' }, next)
      const person = people.add(granted)
      if (person !== null) return { kind: 'person', person, next }
      const client = personId(settings.issuer, granted.claims.sub)
      return refuse({ reason: 'role', client, claims: granted.claims }, next, nameIn(granted.claims))
    },
    logout,
    async close() {
      people.close()
      await provider.close()
    },
  }
}

function isSame(given: string | null, expected: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
