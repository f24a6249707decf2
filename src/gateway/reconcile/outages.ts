import { type Config, outageRulesOf, realmsOf } from '../../config/config.ts'
import type { Readiness } from '../../domain/readiness.ts'
import { environmentOf, type Realm } from '../../domain/realm.ts'
import type { ClockGuard } from '../../jobs/clock-guard.ts'
import { type OutageWatch, type OutageWatchOptions, startOutageWatch } from '../../jobs/outage-watch.ts'
import type { GatewayCertificates } from '../certificates.ts'
import type { Closing } from '../close.ts'
import type { Nodes } from '../nodes/nodes.ts'

interface OutageParts extends Pick<OutageWatchOptions, 'store' | 'onRaised' | 'log'> {
  readonly readiness: Pick<Readiness, 'checks'>
  readonly clock: Pick<ClockGuard, 'time' | 'state'>
  readonly certificates: Pick<GatewayCertificates, 'service'>
  /** null: this process alone uses the database. */
  readonly nodes: Pick<Nodes, 'isMine' | 'onMine'> | null
  readonly closing: Closing
}

/** Shows life until `closing` ends it. */
export async function watchOutages(
  config: Config,
  { readiness, clock, certificates, nodes, closing, ...parts }: OutageParts,
): Promise<OutageWatch> {
  const services = () => realmsOf(config).flatMap((realm) => certificates.service(realm)?.settings ?? [])
  const watch = await startOutageWatch({
    ...parts,
    rules: () => outageRulesOf({ service: services() }),
    node: 'file' in config.storage.database ? '' : config.node.name,
    environment: environmentOfCallers(config),
    // The listeners are opened later, and a callback that comes before is none of ours.
    isAccepting: () => readiness.checks().every(({ name, problem }) => name === 'listener' || problem === null),
    isClockPlausible: () => clock.state().isPlausible,
    isMine: nodes?.isMine,
    now: clock.time,
  })
  nodes?.onMine(watch.wake)
  closing.defer(() => watch.stop())
  return watch
}

/** An outage is one of every caller: its event is of production, unless all of them are of sandbox. */
function environmentOfCallers({ callbacks, chargeNotifications }: Config): Realm {
  const { tokens = [], pathTokens = [] } = chargeNotifications ?? {}
  const all = [...callbacks.trust, ...tokens, ...pathTokens].map(({ environment }) => environmentOf(environment))
  return all.length > 0 && all.every((environment) => environment === 'sandbox') ? 'sandbox' : 'production'
}
