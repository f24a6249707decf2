import { type Request, Router } from 'express'
import { numberedId, parseNumberedId } from '../../domain/public-id.ts'
import type { Decision, ReleasedFact } from '../../domain/quarantine.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { principalOf } from '../auth/authentication.ts'
import { dropUndefined, sendJson } from '../http/answer.ts'
import { readQuery } from '../http/query.ts'
import { quarantineQuery } from './quarantine-operations.ts'
import { findQuarantined, quarantinedText, quarantinedView, releasedView } from './serializer.ts'

export interface QuarantineRoutesOptions {
  readonly store: Store
  readonly now: () => number
  readonly onReleased: (released: ReleasedFact) => void
  readonly log: Log
}

/** `/v1/quarantine`: what is held back, and what becomes of it. */
export function quarantineRoutes({ store, now, onReleased, log }: QuarantineRoutesOptions): Router {
  const router = Router()

  function decisionBy(request: Request): Decision {
    const principal = principalOf(request)
    return { by: principal.kind === 'operator' ? principal.kind : principal.id, at: now() }
  }

  router.get('/v1/quarantine', async function listQuarantine(request, response) {
    const { limit, kind: kinds, ...others } = readQuery(request.url, quarantineQuery)
    const filter = dropUndefined({ kinds, ...others })
    const facts = await store.listQuarantine(filter, limit + 1)
    const page = facts.slice(0, limit)
    // A page without any leaves the reader where it is.
    const last = page.at(-1)?.id ?? filter.after
    const next = last === undefined ? null : numberedId('qtn', last)
    sendJson(response, JSON.stringify({ data: page.map(quarantinedView), next, more: facts.length > limit }))
  })

  router.get('/v1/quarantine/:id', async function showQuarantined(request, response) {
    sendJson(response, quarantinedText(await findQuarantined(store, request.params.id)))
  })

  router.post('/v1/quarantine/:id/release', async function releaseQuarantined(request, response) {
    const released = await store.releaseQuarantined(numberOf(request.params.id), decisionBy(request))
    onReleased(released)
    const view = releasedView(released)
    const { id, event: eventId, kind, environment, decidedBy: by, duplicate } = view
    const deliveries = released.destinationIds.length + released.blocked
    log.info({ id, eventId, kind, environment, by, duplicate, deliveries }, 'quarantine.released')
    sendJson(response, JSON.stringify(view))
  })

  router.post('/v1/quarantine/:id/discard', async function discardQuarantined(request, response) {
    const view = quarantinedView(await store.discardQuarantined(numberOf(request.params.id), decisionBy(request)))
    const { id, kind, environment, decidedBy: by } = view
    log.info({ id, kind, environment, by }, 'quarantine.discarded')
    sendJson(response, JSON.stringify(view))
  })

  return router
}

function numberOf(text: string): number {
  const number = parseNumberedId('qtn', text)
  if (number === null) throw new PortariaError('not_found', `there is no ${text.slice(0, 64)} in quarantine`)
  return number
}
