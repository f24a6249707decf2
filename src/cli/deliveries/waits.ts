import { deliveryView, type NextProbeOf } from '../../api/deliveries/view.ts'
import type { Config } from '../../config/config.ts'
import type { DeliveryRecord, DeliveryWait } from '../../domain/delivery.ts'
import { numberedId } from '../../domain/public-id.ts'
import { PortariaError } from '../../platform/errors.ts'
import { localText } from '../../platform/local-time.ts'
import { getFromGateway } from '../control-client.ts'
import { translated } from '../language/language.ts'

export type DeliveryView = ReturnType<typeof deliveryView>

/** For output without the times of probes. */
export const NO_PROBES: NextProbeOf = () => null

export async function viewsOf(deliveries: readonly DeliveryRecord[], config: Config): Promise<DeliveryView[]> {
  const nextProbeOf = await nextProbesOf(deliveries, config)
  return deliveries.map((delivery) => deliveryView(delivery, nextProbeOf))
}

/** Only a running gateway knows them. */
export async function nextProbesOf(deliveries: readonly DeliveryRecord[], config: Config): Promise<NextProbeOf> {
  const waiting = deliveries.filter(({ waitsFor }) => waitsFor === 'circuit')
  const ids = new Set(waiting.map(({ destinationId }) => destinationId))
  const probes = new Map<number, number | null>()
  for (const id of ids) probes.set(id, await nextProbeAt(id, config))
  return (id) => probes.get(id) ?? null
}

async function nextProbeAt(destinationId: number, config: Config): Promise<number | null> {
  try {
    const path = `/v1/destinations/${numberedId('dst', destinationId)}/stats`
    const stats = await getFromGateway<{ readonly nextProbeAt?: string | null }>(config, path)
    return stats?.nextProbeAt == null ? null : Date.parse(stats.nextProbeAt)
  } catch (error) {
    // A user with permission for the database need not have one for the socket.
    if (error instanceof PortariaError) return null
    throw error
  }
}

export const WAITS: Readonly<Record<DeliveryWait, string>> = {
  subject: 'waits for another delivery of its subject',
  resume: 'waits: the destination is paused',
  circuit: 'waits for the circuit',
}

type Ending = Pick<DeliveryView, 'lastError' | 'reason'>
type Waiting = Pick<DeliveryView, 'nextAttemptAt' | 'waitsFor' | 'nextProbeAt'>

/** What an unfinished delivery waits for, or when it is due; null: neither. */
export function nextAttemptText({ nextAttemptAt, waitsFor, nextProbeAt }: Waiting): string | null {
  if (waitsFor === null) return nextAttemptAt === null ? null : localText(Date.parse(nextAttemptAt))
  return translated(
    `${WAITS[waitsFor]}${nextProbeAt === null ? '' : `, next probe at ${localText(Date.parse(nextProbeAt))}`}`,
  )
}

/** For people: one field in words instead of three. */
export function fieldsOf<T extends Waiting & Ending>(view: T): T {
  const { lastError, reason } = view
  const own = {
    ...view,
    lastError: lastError === null ? null : translated(lastError),
    reason: reason === null ? null : translated(reason),
  }
  if (view.waitsFor === null) return own
  return { ...own, nextAttemptAt: nextAttemptText(view), waitsFor: null, nextProbeAt: null }
}
