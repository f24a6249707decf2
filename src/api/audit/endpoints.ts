import type { ActionPage } from '../../domain/actions/action.ts'
import { type Cursor, cursorAfter } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { dropUndefined } from '../http/answer.ts'
import { endpoint } from '../http/endpoint.ts'
import { actionPageSchema, actionQuerySchema } from './schema.ts'
import { actionView, actorNames } from './view.ts'

export function auditEndpoints(store: StoreReader) {
  return {
    listActions: listActions(store),
  }
}

function listActions(store: StoreReader) {
  return endpoint({
    method: 'get',
    path: '/v1/audit',
    access: ['operations.read'],
    tag: 'Operations',
    errors: 'problem',
    summary: 'List actions: who changed something, or saw masked data',
    description: [
      'Each use of an endpoint that changes something is recorded before it is performed, and once more if it fails. Not recorded: token requests,',
      "batches and acknowledgments of consumers, and the service's own API. `portaria storage verify` reports entries that were changed by hand.",
    ].join(' '),
    query: actionQuerySchema,
    answers: { 200: { description: 'A page of actions.', schema: actionPageSchema } },
    async run({ query }) {
      const { limit, after: start, order, ...filter } = query
      const isBackward = order === 'desc'
      const position = await positionOf(store, start ?? (isBackward ? 'latest' : undefined))
      const place = isBackward ? { before: position + 1, newestFirst: true } : { after: position }
      const page = await store.listActions({ ...dropUndefined(filter), ...place }, limit)
      const names = await actorNames(store)
      const data = page.actions.map((action) => actionView(action, names))
      return { json: { data, next: nextCursor(page, isBackward), more: page.more } }
    },
  })
}

async function positionOf(store: StoreReader, start: Cursor | 'latest' | undefined): Promise<number> {
  return start === 'latest' ? store.latestAction() : (start?.position ?? 0)
}

/** A cursor is between two entries, so a reader can turn round at it. */
function nextCursor({ next }: ActionPage, isBackward: boolean): string {
  return cursorAfter(isBackward ? Math.max(0, next - 1) : next)
}
