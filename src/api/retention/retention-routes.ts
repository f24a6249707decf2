import { setTimeout as wait } from 'node:timers/promises'
import { Router } from 'express'
import type { Clock } from '../../domain/clock.ts'
import type { Pruning, Redacted, RedactionSearch, RemovalProgress } from '../../domain/retention.ts'
import type { Store } from '../../domain/store.ts'
import type { Log } from '../../platform/log.ts'
import { sendJson } from '../http/answer.ts'
import { optionalJsonBody, requiredJsonBody } from '../http/json-body.ts'
import type { View } from '../http/schema-parts.ts'
import { checkBody } from '../http/violations.ts'
import {
  type confirmedClockSchema,
  pruneRequestSchema,
  redactionRequestSchema,
  type redactionSchema,
  type removalSchema,
} from './schema.ts'

export interface RetentionRoutesOptions {
  readonly store: Store
  readonly now: () => number
  readonly pruning: Pruning
  readonly clock: Clock
  /** What is claimed of these deliveries must not be sent any more. */
  readonly onRedacted: (redacted: Redacted) => void
  readonly log: Log
}

/** Events and held facts in one transaction. */
const STEP = 50
const LOG_TRIES = 5
const LOG_WAIT_MS = 200

/** `/v1/storage/prune` and `/v1/storage/redact` */
export function retentionRoutes(options: RetentionRoutesOptions): Router {
  const { store, pruning, clock, now, log } = options
  const router = Router()

  router.post('/v1/storage/prune', ...optionalJsonBody, async function prune(request, response) {
    const { dryRun } = checkBody(pruneRequestSchema, request.body ?? {}, { what: 'the request' })
    if (dryRun) return sendJson(response, JSON.stringify(await pruning.count()))
    sendJson(response.status(202), JSON.stringify(removalView(pruning.prune())))
  })

  router.post('/v1/storage/confirm-clock', async function confirmClock(_request, response) {
    const { problem } = clock.state()
    await clock.confirm()
    const view: View<typeof confirmedClockSchema> = {
      clock: new Date(now()).toISOString(),
      wasImplausible: problem !== null,
    }
    sendJson(response, JSON.stringify(view))
  })

  router.get('/v1/storage/prune', function showRemoval(_request, response) {
    sendJson(response, JSON.stringify(removalView(pruning.progress())))
  })

  router.post('/v1/storage/redact', ...requiredJsonBody(), async function redact(request, response) {
    const body = checkBody(redactionRequestSchema, request.body, { what: 'the redaction' })
    const search = { subject: body.subject, environment: body.environment ?? null }
    const view = body.dryRun ? await countOf(store, search) : await redactAll(search, options)
    // Not whose: the log would keep what was to be forgotten.
    if (!body.dryRun) log.info({ environment: search.environment ?? undefined, ...view }, 'subject.redacted')
    sendJson(response, JSON.stringify(view))
  })

  return router
}

type RedactionView = View<typeof redactionSchema>

async function countOf(store: Store, search: RedactionSearch): Promise<RedactionView> {
  const { positions, quarantineIds } = await store.findSubject(search, Number.MAX_SAFE_INTEGER)
  return { events: positions.length, quarantined: quarantineIds.length, canceled: null, logEmptied: null }
}

async function redactAll(search: RedactionSearch, options: RetentionRoutesOptions): Promise<RedactionView> {
  const { store, now, onRedacted } = options
  const view = { events: 0, quarantined: 0, canceled: 0 }
  for (;;) {
    const { hasRepeats, ...found } = await store.findSubject(search, STEP)
    if (found.positions.length === 0 && found.quarantineIds.length === 0 && !hasRepeats) break
    const redacted = await store.redact({ ...search, ...found }, now())
    onRedacted(redacted)
    view.events += redacted.events
    view.quarantined += redacted.quarantined
    view.canceled += redacted.deliveryIds.length
  }
  return { ...view, logEmptied: await checkpointWal(store) }
}

async function checkpointWal(store: Store): Promise<boolean> {
  for (let tries = 1; !(await store.checkpointWal()); tries++) {
    if (tries === LOG_TRIES) return false
    await wait(LOG_WAIT_MS)
  }
  return true
}

function removalView(progress: RemovalProgress | null): View<typeof removalSchema> {
  return progress ?? { state: 'none', payloads: 0, events: 0, kept: 0, problem: null }
}
