import { cursorAfter } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { given } from '../../platform/given.ts'
import type { Handlers } from '../http/contract.ts'
import { segmentOf } from '../http/endpoint.ts'
import { served } from '../http/served.ts'
import { REFUSAL_READS } from './contract.ts'
import { findRefusal, refusalView } from './view.ts'

const READS: Handlers<typeof REFUSAL_READS, StoreReader> = {
  async listRefusals(call, store) {
    const { limit, after: start, reason: codes, from, to, order, ...others } = call.query
    const newestFirst = order === 'desc'
    const filter = given({ codes, refusedFrom: from, refusedTo: to, ...others })
    const begin = start === 'latest' ? await store.latestRefusal() : start?.position
    // A cursor names the last position that is behind the reader: newest first, that is the next one to read.
    const range = newestFirst
      ? { newestFirst, ...(begin !== undefined && { before: begin + 1 }) }
      : { after: begin ?? 0 }
    const { refusals, next: end, more } = await store.listRefusals({ ...filter, ...range }, limit)
    const next = newestFirst ? Math.max(0, end - 1) : end
    return { json: { data: refusals.map(refusalView), next: cursorAfter(next), more } }
  },
  async showRefusal(call, store) {
    return { json: refusalView(await findRefusal(store, segmentOf(call, 'id'))) }
  },
}

export function refusalEndpoints(store: StoreReader) {
  return served(REFUSAL_READS, READS, store)
}
