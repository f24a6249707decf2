import { Router } from 'express'
import { PortariaError } from '../domain/errors.ts'
import { cursorAfter, numberedId, parseNumberedId } from '../domain/public-id.ts'
import { REFUSAL_CODES, type RefusalCode, type RefusalFilter, type RefusalRecord } from '../domain/refusal.ts'
import type { StoreReader } from '../domain/store.ts'
import { dropUndefined, sendJson } from './event-routes.ts'
import { iso, isoOrNull } from './event-text.ts'
import { QueryReader } from './query.ts'

const FILTERS = ['after', 'limit', 'reason', 'address', 'listener', 'environment', 'refusedFrom', 'refusedTo']

/** `GET /v1/refusals`, oldest first, by key. */
export function refusalRoutes(store: StoreReader): Router {
  const router = Router()

  router.get('/v1/refusals', async function listRefusals(request, response) {
    const query = new QueryReader(request.url, FILTERS)
    const limit = query.limit()
    const filter = readFilter(query)
    const after = query.cursor('after')
    query.done()
    const page = await store.listRefusals(
      { ...filter, after: after === 'latest' ? await store.latestRefusal() : (after ?? 0) },
      limit,
    )
    const data = page.refusals.map(refusalView)
    sendJson(response, JSON.stringify({ data, next: cursorAfter(page.next), more: page.more }))
  })

  router.get('/v1/refusals/:id', async function showRefusal(request, response) {
    sendJson(response, JSON.stringify(refusalView(await findRefusal(store, request.params.id))))
  })

  return router
}

function readFilter(query: QueryReader): RefusalFilter {
  return dropUndefined({
    codes: readCodes(query),
    address: query.text('address'),
    listener: query.listener(),
    environment: query.environment(),
    refusedFrom: query.time('refusedFrom'),
    refusedTo: query.time('refusedTo'),
  })
}

function readCodes(query: QueryReader): readonly RefusalCode[] | undefined {
  const codes = query.list('reason')
  const unknown = codes?.find((code) => !isRefusalCode(code))
  if (unknown !== undefined) query.reject(`reason: one of ${REFUSAL_CODES.join(', ')}`)
  return codes?.filter(isRefusalCode)
}

export function isRefusalCode(code: string): code is RefusalCode {
  return REFUSAL_CODES.some((known) => known === code)
}

/** @throws PortariaError `not_found` */
export async function findRefusal(store: StoreReader, id: string): Promise<RefusalRecord> {
  const number = parseNumberedId('rfs', id)
  const refusal = number === null ? null : await store.getRefusal(number)
  if (refusal === null) throw new PortariaError('not_found', `there is no refusal ${id.slice(0, 64)}`)
  return refusal
}

export function refusalView({ id, refusedAt, isProbe, chain, ...refusal }: RefusalRecord) {
  return {
    id: numberedId('rfs', id),
    refusedAt: iso(refusedAt),
    ...refusal,
    probe: isProbe,
    chain: chain.map(({ notBefore, notAfter, ...offered }) => ({
      ...offered,
      notBefore: isoOrNull(notBefore),
      notAfter: isoOrNull(notAfter),
    })),
  }
}
