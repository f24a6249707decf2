import type { Api } from '../api/app.ts'
import { type AccessTokens, EXPIRED } from '../api/auth/access-tokens.ts'
import { connectionAuthenticated } from '../api/auth/authenticated-connections.ts'
import { createPageSignIn } from '../api/auth/page-sign-in.ts'
import { peerThumbprintOf } from '../api/auth/peer-certificate.ts'
import { type Config, type ConfigWithSecrets, kindNamesOf } from '../config/config.ts'
import type { PageSessionStore } from '../domain/nodes/page-session.ts'
import type { RefusedCaller } from '../domain/refusal.ts'
import type { DeviceSignIn } from '../domain/sign-in/device-sign-in.ts'
import type { TeamSignIn } from '../oidc/team-sign-in.ts'
import type { Pages } from '../pages/app.ts'
import type { PagesOptions } from '../pages/frame/context.ts'
import type { Identities, Person } from '../pages/frame/person.ts'
import { ABSOLUTE_END_MS } from '../pages/frame/sessions.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'
import type { openClients } from './clients.ts'

/**
 * The pages below /ui; null: the configuration leaves them out. The first request for one loads them: they are a quarter of the program's files.
 * @param api for calls that come from pages
 */
export function openPages(
  config: Config,
  parts: Awaited<ReturnType<typeof openClients>> & {
    readonly operatorToken: string | null
    readonly onRefused: (remoteAddress: string, describe: () => RefusedCaller) => void
    readonly now: () => number
    readonly log: Log
    readonly api: () => Api
    readonly sharedSessions?: PageSessionStore | undefined
    readonly team?: PagesOptions['team']
  },
): Pages | null {
  const { pages } = config.api
  if (pages === null) return null
  const { log } = parts
  const kinds = kindNamesOf(config)
  const institutions = config.institutions.map(({ name }) => name)
  return loadedWhenAsked(async () => {
    const { createPages } = await import('../pages/app.ts')
    return createPages({
      api: parts.api(),
      identities: identitiesOf(parts),
      sharedSessions: parts.sharedSessions,
      team: parts.team ?? null,
      kinds,
      institutions,
      scopeNames: parts.scopeNames,
      ...pages,
      now: parts.now,
      log,
    })
  })
}

/** Pages that the first request loads. Requests that come meanwhile wait for the same load; after a failure the next request tries again. */
export function loadedWhenAsked(load: () => Promise<Pages>): Pages {
  /** Set by a request; null again after a failure. */
  let loading: Promise<Pages> | null = null
  /** Set once they are loaded. Before, there is no session in this process. */
  let pages: Pages | null = null
  /** Set by `close`, which may come while they are loaded. */
  let isClosed = false

  async function begin(): Promise<Pages> {
    try {
      pages = await load()
    } catch (error) {
      loading = null
      throw error
    }
    if (isClosed) pages.close()
    return pages
  }

  return {
    serve(request, response, next) {
      if (pages !== null) pages.serve(request, response, next)
      else {
        loading ??= begin()
        loading.then(({ serve }) => serve(request, response, next)).catch(next)
      }
    },
    refreshSessions: async () => pages?.refreshSessions(),
    endRevoked: () => pages?.endRevoked(),
    close() {
      isClosed = true
      pages?.close()
    },
  }
}

function identitiesOf({
  clients,
  tokens,
  operatorToken,
  onRefused,
  now,
  log,
}: Omit<Parameters<typeof openPages>[1], 'api' | 'sharedSessions'>): Identities {
  const seconds = ABSOLUTE_END_MS / 1000
  const signIn = createPageSignIn({
    operatorToken,
    tokens,
    findClient: clients.find,
    onRefused,
    now,
    log,
    seconds,
  })

  function personOf(
    { id, name, environment, generation }: NonNullable<ReturnType<typeof clients.find>>,
    token: string,
  ): Person {
    return {
      id,
      name,
      environment,
      token,
      credential: String(generation),
      principal() {
        const current = clients.find(id)
        if (current === undefined || current.generation !== generation) return null
        const scopes = new Set(current.scopes)
        return { kind: 'client', id, environment, scopes, generation, isBound: false }
      },
    }
  }

  return {
    async signIn(credentials, socket) {
      const signed = await signIn(credentials, socket)
      if (signed.kind === 'client') return { kind: 'person', person: personOf(signed.client, signed.token) }
      if (signed.kind === 'operator') return { kind: 'person', person: operator(signed.token) }
      return signed
    },
    async find(id) {
      if (id === OPERATOR) return operatorToken === null ? null : operator(operatorToken)
      const client = clients.find(id)
      return client === undefined ? null : personOf(client, await tokens.issue(client, client.scopes, null, seconds))
    },
    recognized: connectionAuthenticated,
    certificateOf: peerThumbprintOf,
  }
}

const OPERATOR = 'operator'

function operator(token: string): Person {
  return {
    id: OPERATOR,
    name: null,
    environment: 'any',
    token,
    credential: token,
    principal: () => ({ kind: 'operator' }),
  }
}

/** The sign-in at an OpenID provider; null: none is configured, and none of its code is loaded. */
export async function openTeam(
  { api: { oidc } }: Pick<ConfigWithSecrets, 'api'>,
  parts: {
    readonly onEnded: () => void
    readonly shared: PageSessionStore | null
    readonly now: () => number
    readonly log: Log
  },
): Promise<TeamSignIn | null> {
  if (oidc === null) return null
  const { openTeamSignIn } = await import('../oidc/team-sign-in.ts')
  const team = openTeamSignIn(oidc, parts)
  // Not awaited: a provider that is down must not delay the start.
  guarded(parts.log, 'asking the OpenID provider', team.isReachable)()
  return team
}

/** Tokens of the API listener: those of clients, and of people who signed in on a device. */
export function withDevices(tokens: AccessTokens, devices: Pick<DeviceSignIn, 'principalOf' | 'isOver'>): AccessTokens {
  return {
    ...tokens,
    async verify(token, certificate) {
      const found = (await devices.principalOf(token)) ?? (await tokens.verify(token, certificate))
      return found === 'expired' ? EXPIRED : found === 'void' ? WITHOUT_ROLE : found
    },
    revocationOf(principal) {
      if (principal.person === undefined) return tokens.revocationOf(principal)
      return devices.isOver(principal) ? EXPIRED : null
    },
  }
}

/** Tokens of the API for pages: those of clients, and of people in a session. */
export function withPeople(tokens: AccessTokens, { people }: Pick<TeamSignIn, 'people'>): AccessTokens {
  return {
    ...tokens,
    verify: async (token, certificate) => people.principalOf(token) ?? tokens.verify(token, certificate),
    revocationOf(principal) {
      if (principal.person === undefined) return tokens.revocationOf(principal)
      return people.isKnown(principal) ? null : SIGNED_OUT
    },
  }
}

const SIGNED_OUT = { kind: 'void', reason: 'the session of this person has ended: sign in again' } as const
const WITHOUT_ROLE = { kind: 'void', reason: 'the configuration gives this person no role any more' } as const
