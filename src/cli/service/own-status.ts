import { existsSync } from 'node:fs'
import type { ConfigWithServiceSecrets, ServiceWithSecret } from '../../config/config.ts'
import type { TokenBacklog } from '../../domain/service/notification-token.ts'
import { iso } from '../../platform/time.ts'
import type { InterfaceState } from '../../service/client.ts'
import { ServiceFailure } from '../../service/failure.ts'
import { withReader } from '../reader.ts'
import { withServiceClient } from './connection.ts'
import type { InterfaceStatus, ServiceStatus } from './status-view.ts'

/** Without a running gateway: asks the service for a token of every interface, and the database for the rest. */
export function askService(config: ConfigWithServiceSecrets, now: number): Promise<ServiceStatus[]> {
  return Promise.all(config.service.map((entry) => statusOf(config, entry, now)))
}

async function statusOf(config: ConfigWithServiceSecrets, entry: ServiceWithSecret, now: number) {
  const { environment, dailyBudgets, resolveTokens } = entry
  const asked = await withServiceClient(config, environment, async (client) => {
    await Promise.all(client.state().map((one) => client.signIn(one.interface).catch(unlessRefused)))
    const { certificate } = client
    return {
      certificate: certificate && {
        subject: certificate.subject,
        notAfter: certificate.notAfter === null ? null : iso(certificate.notAfter),
        problem: certificate.problem(now),
      },
      interfaces: client.state().map(interfaceOf),
    }
  })
  const { used, backlog } = await stored(config, environment, now)
  const limit = dailyBudgets.notifications
  return {
    ...{ environment, ...asked, resolveTokens },
    budget: { limit, used, left: limit === null ? null : Math.max(0, limit - used) },
    tokens: {
      waiting: backlog?.waiting ?? 0,
      oldestAt: backlog?.oldestAt == null ? null : iso(backlog.oldestAt),
    },
  } satisfies ServiceStatus
}

/** The client remembers it for its state. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ServiceFailure)) throw error
}

function interfaceOf({ interface: name, baseAddress, lastSuccessAt, lastFailure }: InterfaceState): InterfaceStatus {
  return {
    ...{ interface: name, baseAddress },
    state: lastFailure === null ? 'accepted' : lastFailure.isFinal ? 'refused' : 'failing',
    lastSuccessAt: lastSuccessAt === null ? null : iso(lastSuccessAt),
    lastFailure: lastFailure && { at: iso(lastFailure.at), code: lastFailure.code, text: lastFailure.text },
  }
}

/** Nothing waits where there is no database yet. */
async function stored(
  config: ConfigWithServiceSecrets,
  environment: ServiceWithSecret['environment'],
  now: number,
): Promise<{ used: number; backlog: TokenBacklog | undefined }> {
  if (!existsSync(config.storage.file)) return { used: 0, backlog: undefined }
  return withReader(config, async (reader) => {
    const [used, backlogs] = await Promise.all([
      reader.budgetUsed(environment, iso(now).slice(0, 10)),
      reader.countWaitingTokens(),
    ])
    return { used, backlog: backlogs.find((one) => one.environment === environment) }
  })
}
