import type { ActionPage } from '../../domain/actions/action.ts'
import { type Cursor, cursorAfter } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { given } from '../../platform/given.ts'
import type { Handlers } from '../http/contract.ts'
import { served } from '../http/served.ts'
import { ACTION_READS } from './contract.ts'
import { actionView, actorNames } from './view.ts'

const READS: Handlers<typeof ACTION_READS, StoreReader> = {
  async listActions({ query }, store) {
    const { limit, after: start, order, ...filter } = query
    const isBackward = order === 'desc'
    const position = await positionOf(store, start ?? (isBackward ? 'latest' : undefined))
    const place = isBackward ? { before: position + 1, newestFirst: true } : { after: position }
    const page = await store.listActions({ ...given(filter), ...place }, limit)
    const names = await actorNames(store)
    const data = page.actions.map((action) => actionView(action, names))
    return { json: { data, next: nextCursor(page, isBackward), more: page.more } }
  },
}

export function auditEndpoints(store: StoreReader) {
  return served(ACTION_READS, READS, store)
}

async function positionOf(store: StoreReader, start: Cursor | 'latest' | undefined): Promise<number> {
  return start === 'latest' ? store.latestAction() : (start?.position ?? 0)
}

/** A cursor is between two entries, so a reader can turn round at it. */
function nextCursor({ next }: ActionPage, isBackward: boolean): string {
  return cursorAfter(isBackward ? Math.max(0, next - 1) : next)
}
