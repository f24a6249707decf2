import type { Clock } from '../../domain/clock.ts'
import type { RealmFilter } from '../../domain/realm.ts'
import type { Pruning, RedactionSearch } from '../../domain/retention.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import type { Log } from '../../platform/log.ts'
import { iso } from '../../platform/time.ts'
import type { Handlers } from '../http/contract.ts'
import { served } from '../http/served.ts'
import { REMOVALS, STORAGE_STATES } from './contract.ts'
import { countOf, type RedactionOptions, redactAll } from './redaction.ts'
import { removalView } from './schema.ts'

export interface RetentionEndpointsOptions extends RedactionOptions {
  readonly pruning: Pruning
  readonly clock: Clock
  readonly log: Log
}

interface RemovalCountParts {
  readonly store: Pick<StoreReader, 'findSubject'>
  readonly pruning: Pick<Pruning, 'count'>
}

const COUNTS: Handlers<typeof REMOVALS, RemovalCountParts> = {
  prune: async (_call, { pruning }) => ({ json: await pruning.count() }),
  redact: async ({ body }, { store }) => ({ json: await countOf(store, searchFor(body)) }),
}

const RUNS: Handlers<typeof REMOVALS, RetentionEndpointsOptions> = {
  async prune({ body }, { pruning }) {
    if (body.dryRun) return { json: await pruning.count() }
    return { status: 202, json: removalView(pruning.prune()) }
  },
  async redact({ body }, options) {
    const { institution, environment, dryRun } = body
    const search = searchFor(body)
    if (dryRun) return { json: await countOf(options.store, search) }
    const view = await redactAll(search, options)
    // Without the subject: the log would keep what the redaction removes.
    options.log.info({ institution, environment, ...view }, 'subject.redacted')
    return { json: view }
  },
}

const STATES: Handlers<typeof STORAGE_STATES, RetentionEndpointsOptions> = {
  showRemoval: (_call, { pruning }) => ({ json: removalView(pruning.progress()) }),
  async confirmClock(_call, { clock, now }) {
    const { problem } = clock.state()
    await clock.confirm()
    return { json: { clock: iso(now()), wasImplausible: problem !== null } }
  },
}

function searchFor({ subject, institution, environment }: RealmFilter & { subject: string }): RedactionSearch {
  return { subject, institution: institution ?? null, environment: environment ?? null }
}

export function retentionEndpoints(options: RetentionEndpointsOptions) {
  const { prune, redact } = served(REMOVALS, RUNS, options)
  return { prune, ...served(STORAGE_STATES, STATES, options), redact }
}

/** Dry runs, where no gateway runs. */
export function removalCounts(parts: RemovalCountParts) {
  return served(REMOVALS, COUNTS, parts)
}
