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
import { isUnreachable, reasonOf } from './failure.ts'
import { hashOf } from './grants.ts'
import { nameIn, type TeamPerson } from './known.ts'
import { createLogout } from './logout.ts'
import { createOnce } from './once.ts'
import { createPeople, type People } from './people.ts'
import { createProvider, type Granted } from './provider.ts'
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
  /**
   * `begun`: this browser did not begin it, or it is over. `provider`: the provider refused, `detail` is its error code. `answer`: the answer is not
   * valid. `role`: no role matches, `detail` is the person's name.
   */
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
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
  /** null: the provider cannot be reached, or does not answer in time. @property sealed for the browser that begins it */
  begin(begun: Begun): Promise<{ readonly location: string; readonly sealed: string } | null>
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
  const provider = createProvider(settings, now)
  const people = createPeople(settings, { provider, shared, onEnded, onUnreachable: logUnreachable, now, log })
  const sealing = createSealing(settings, 'begun sign-in')
  const exchanges = createTurns(EXCHANGES)
  const takeLine = createCountedLineLimit(now, SIXTY_A_MINUTE)
  const used = createOnce(now)
  const devices = createDeviceSignIn(settings, { provider, onUnreachable: logUnreachable, onRefused: logRefused, now })
  const logout = createLogout(settings.issuer, { provider, people, shared, takeLine, now, log })

  function logUnreachable(error: unknown, client: string | null = null): void {
    const line = takeLine()
    if (line === null) return
    log.warn({ issuer: settings.issuer, client, error: reasonOf(error), hint: REACH, ...line }, 'oidc.unreachable')
  }

  async function reach<T>(ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask()
    } catch (error) {
      // An answer that is not valid helps no person either.
      logUnreachable(error)
      return null
    }
  }

  function logRefused(reason: RefusalReason, { client = null, error }: Refusal): void {
    const line = takeLine()
    if (line !== null)
      log.warn({ reason, client, ...(error !== undefined && { error }), ...line }, 'oidc.sign_in_refused')
  }

  function refuse(reason: RefusalReason, next: string | null, about: Refusal = {}): Completed {
    logRefused(reason, about)
    return { kind: 'refused', reason, detail: about.detail ?? null, next }
  }

  /** @param code of an error that the provider sent with the browser; null: none */
  function failed(error: unknown, code: string | null, next: string): Completed {
    if (isUnreachable(error)) {
      logUnreachable(error)
      return { kind: 'unreachable', next }
    }
    const detail = code !== null && /^[\x20-\x7e]{1,100}$/.test(code) ? code : null
    return refuse(code === null ? 'answer' : 'provider', next, { error: reasonOf(error), detail })
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
    isReachable: async () => (await reach(() => provider.discover())) ?? false,
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
      if (begun === null) return refuse('begun', null)
      const { next, state, until } = begun
      const given = new URLSearchParams(query)
      if (!isSame(given.get('state'), state)) return refuse('begun', next)
      if (!used.take(state, until)) return refuse('begun', next)
      const granted = await exchange(query, begun).catch((error) => failed(error, given.get('error'), next))
      if ('kind' in granted) return granted
      if (!(await takeEverywhere(state, until))) return refuse('begun', next)
      const person = people.add(granted)
      if (person !== null) return { kind: 'person', person, next }
      const client = personId(settings.issuer, granted.claims.sub)
      return refuse('role', next, { client, detail: nameIn(granted.claims) })
    },
    logout,
    async close() {
      people.close()
      await provider.close()
    },
  }
}

type RefusalReason = 'begun' | 'provider' | 'answer' | 'role'

interface Refusal {
  readonly client?: string | null
  readonly error?: string
  readonly detail?: string | null
}

const REACH =
  'people can sign in with the id and secret of a client; check api.oidc.issuer and authorities with: portaria check'

function isSame(given: string | null, expected: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
