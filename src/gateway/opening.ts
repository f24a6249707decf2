import { operatorToken } from '../api/auth/operator-token.ts'
import { makeConfiguredCertificates } from '../certificates/development/development.ts'
import type { ConfigWithSecrets } from '../config/config.ts'
import { createReadiness } from '../domain/readiness.ts'
import type { Log } from '../platform/log.ts'
import { createStoredLog } from '../receiving/stored-log.ts'
import { loadCertificates } from './certificates.ts'
import type { Closing } from './close.ts'
import { createUsedConfiguration } from './configuration.ts'
import { descriptorLimit, limitListeners, planDescriptors } from './descriptors.ts'
import { openGuardedStore } from './guarded-store.ts'
import { loadParts } from './late-parts.ts'
import { createMetrics } from './metrics.ts'
import { nodeIdentity } from './nodes/node-identity.ts'
import { joinNodes } from './nodes/nodes.ts'
import type { SharedTime } from './nodes/shared-time.ts'

export interface OpeningOptions {
  readonly log: Log
  readonly now: () => number
  readonly closing: Closing
  /** As in `GatewayOptions`. */
  readonly onLost: (error: Error) => void
  readonly sumUpWith: (logSums: () => void) => void
}

/** What is open before anything is built on it. */
export type Opened = Awaited<ReturnType<typeof openAll>>

/**
 * First stage: reads certificates and secrets, and opens the store, beside which the modules of the later stages load.
 * @throws PortariaError for every certificate, chain and database that cannot be used
 */
export async function openAll(
  config: ConfigWithSecrets,
  { log, closing, onLost, sumUpWith, time }: OpeningOptions & { readonly time: SharedTime },
) {
  const made = config.mode === 'development' ? (await makeConfiguredCertificates(config.callbacks)).made : []
  const plan = planDescriptors(config, descriptorLimit())
  const limits = limitListeners(config, plan, log)
  const certificates = loadCertificates(config, log)
  const token = operatorToken(config.api.operatorTokenFile, config.mode === 'development')
  const configuration = createUsedConfiguration(config)
  const readiness = createReadiness()
  const metrics = createMetrics(config)
  closing.defer(() => metrics.stop())
  const storedLog = createStoredLog(log)
  sumUpWith(storedLog.flush)
  // After the store has closed: what it still stores is logged, too.
  closing.defer(() => storedLog.flush())
  const onCommit = metrics.traffic.committed
  const opening = openGuardedStore(config, { log, readiness, onLost, onCommit, closing, time })
  const loading = loadParts()
  const guarded = await opening
  const identity = () => nodeIdentity(config, certificates, configuration.state())
  const nodes = await joinNodes(guarded.store, { identity, log, time, closing })
  return {
    ...guarded,
    nodes,
    made,
    plan,
    limits,
    certificates,
    configuration,
    token,
    readiness,
    metrics,
    storedLog,
    parts: await loading,
  }
}
