import { cursorAfter } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { dropUndefined } from '../http/answer.ts'
import { endpoint, segmentOf } from '../http/endpoint.ts'
import { refusalPageSchema, refusalQuerySchema, refusalSchema } from './schema.ts'
import { findRefusal, refusalView } from './view.ts'

const common = { method: 'get', tag: 'Operations', access: ['operations.read'], errors: 'problem' } as const

export function refusalEndpoints(store: StoreReader) {
  return {
    listRefusals: listRefusals(store),
    showRefusal: showRefusal(store),
  }
}

function listRefusals(store: StoreReader) {
  return endpoint({
    ...common,
    path: '/v1/refusals',
    summary: 'List refused callers',
    description: 'Oldest first, or newest first with `order=desc`, with cursors like those of events.',
    query: refusalQuerySchema,
    answers: { 200: { description: 'A page of refusals.', schema: refusalPageSchema } },
    async run(call) {
      const { limit, after: start, reason: codes, from, to, order, ...others } = call.query
      const newestFirst = order === 'desc'
      const filter = dropUndefined({ codes, refusedFrom: from, refusedTo: to, ...others })
      const begin = start === 'latest' ? await store.latestRefusal() : start?.position
      // A cursor names the last position that is behind the reader: newest first, that is the next one to read.
      const range = newestFirst
        ? { newestFirst, ...(begin !== undefined && { before: begin + 1 }) }
        : { after: begin ?? 0 }
      const { refusals, next: end, more } = await store.listRefusals({ ...filter, ...range }, limit)
      const next = newestFirst ? Math.max(0, end - 1) : end
      return { json: { data: refusals.map(refusalView), next: cursorAfter(next), more } }
    },
  })
}

function showRefusal(store: StoreReader) {
  return endpoint({
    ...common,
    path: '/v1/refusals/:id',
    segments: { id: 'Id of the refusal, such as rfs_1.' },
    summary: 'Show a refused caller',
    answers: { 200: { description: 'The refusal.', schema: refusalSchema } },
    async run(call) {
      return { json: refusalView(await findRefusal(store, segmentOf(call, 'id'))) }
    },
  })
}
