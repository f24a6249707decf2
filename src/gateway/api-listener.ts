import type { Socket } from 'node:net'
import type { Api } from '../api/app.ts'
import { requireToken } from '../api/auth/authentication.ts'
import type { CertificateReading } from '../api/auth/client-certificates.ts'
import { createHostCheck } from '../api/listening/host-check.ts'
import { type ApiLimits, type RunningApi, startApiListener } from '../api/listening/listener.ts'
import type { ConfigWithSecrets } from '../config/config.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../platform/log.ts'
import type { OnRefused } from '../receiving/refusals.ts'
import type { ApiAccess } from './api.ts'
import type { GatewayCertificates } from './certificates.ts'
import { isCertificateNeeded, type openClients } from './clients.ts'
import { openPages, openTeam, withDevices, withPeople } from './pages.ts'

export interface ApiListenerParts {
  /** The API's handlers for one kind of caller. */
  readonly api: (access: ApiAccess) => Api
  readonly clients: Awaited<ReturnType<typeof openClients>>
  readonly certificates: Pick<GatewayCertificates, 'api' | 'apiClients'>
  readonly operatorToken: string | null
  readonly instance: string
  readonly limits: ApiLimits
  readonly socket: number | undefined
  /** How client certificates are read. */
  readonly reading: CertificateReading
  readonly onRefused: OnRefused
  readonly isOwn: (socket: Socket) => boolean
  readonly store: Pick<Store, 'pageSessions'>
  /** Calls the function when other nodes have ended sessions. */
  readonly onSessionsEnded: (refresh: () => unknown) => void
  readonly now: () => number
  readonly log: Log
}

/** Starts the API listener, with the pages if the configuration has them on. */
export async function startApi(
  config: ConfigWithSecrets,
  {
    api,
    clients,
    certificates,
    operatorToken,
    instance,
    limits,
    socket,
    reading,
    onRefused,
    isOwn,
    store,
    onSessionsEnded,
    now,
    log,
  }: ApiListenerParts,
): Promise<RunningApi> {
  const shared = store.pageSessions ?? null
  const team = await openTeam(config, { onEnded: () => pages?.endRevoked(), shared, now, log })
  const access: ApiAccess = {
    channel: 'api',
    // Under TLS a browser refuses another name because of the certificate.
    checkHost: config.api.tls === null ? createHostCheck(config.api.hostNames, onRefused) : null,
    authenticate: requireToken(
      operatorToken,
      team === null ? clients.tokens : withDevices(clients.tokens, team.devices),
      {
        onRefused,
        now,
      },
    ),
    needsCertificate: isCertificateNeeded(config.api),
    devices: team?.devices ?? null,
    about: null,
    reload: null,
    trustInUse: null,
    reloadConfiguration: null,
    announceOwn: null,
    loop: { instance, onRefused },
    pages: null,
  }
  const tokens = team === null ? clients.tokens : withPeople(clients.tokens, team)
  const pages = openPages(config, {
    ...clients,
    operatorToken,
    onRefused,
    now,
    log,
    sharedSessions: store.pageSessions,
    team,
    api: () =>
      api({ ...access, channel: 'page', authenticate: requireToken(operatorToken, tokens, { onRefused, now }) }),
  })
  onSessionsEnded(() => pages?.refreshSessions())
  try {
    const listener = await startApiListener(api({ ...access, pages: pages?.serve ?? null }).serve, {
      ...config.api,
      limits,
      onRefused,
      isOwn,
      socket,
      tls: certificates.api,
      clients: certificates.apiClients && {
        trust: certificates.apiClients,
        isRequired: config.api.clientCertificates === 'required',
        reading,
      },
    })
    return {
      ...listener,
      async stop() {
        // First: answers that are being sent to a page would keep the listener from stopping.
        pages?.close()
        await Promise.all([listener.stop(), team?.close()])
      },
    }
  } catch (error) {
    pages?.close()
    await team?.close()
    throw error
  }
}
