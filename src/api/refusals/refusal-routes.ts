import { Router } from 'express'
import { cursorAfter, numberedId, parseNumberedId } from '../../domain/public-id.ts'
import { REFUSAL_CODES, type RefusalCode, type RefusalRecord } from '../../domain/refusal.ts'
import type { StoreReader } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import { dropUndefined, sendJson } from '../http/answer.ts'
import { readQuery } from '../http/query.ts'
import type { View } from '../http/schema-parts.ts'
import { refusalQuery } from './refusal-operations.ts'
import type { refusalSchema } from './schema.ts'

/** `GET /v1/refusals`, oldest first, by key. */
export function refusalRoutes(store: StoreReader): Router {
  const router = Router()

  router.get('/v1/refusals', async function listRefusals(request, response) {
    const { limit, after: place, reason: codes, ...others } = readQuery(request.url, refusalQuery)
    const after = place === 'latest' ? await store.latestRefusal() : (place?.position ?? 0)
    const page = await store.listRefusals({ ...dropUndefined({ codes, ...others }), after }, limit)
    const data = page.refusals.map(refusalView)
    sendJson(response, JSON.stringify({ data, next: cursorAfter(page.next), more: page.more }))
  })

  router.get('/v1/refusals/:id', async function showRefusal(request, response) {
    sendJson(response, JSON.stringify(refusalView(await findRefusal(store, request.params.id))))
  })

  return router
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

export function refusalView({ id, refusedAt, isProbe, chain, ...refusal }: RefusalRecord): View<typeof refusalSchema> {
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
