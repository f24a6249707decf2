import { type Config, givingUpOf, routesOf, suffixesOf } from '../../config/config.ts'
import { institutionOf } from '../../domain/realm.ts'
import type { RefusalCode, RefusalRecord } from '../../domain/refusal.ts'
import {
  REFUSED_CALLBACK_CODES,
  REFUSED_CALLBACK_MS,
  type RefusedCallbacks,
  refusedCallbacksOf,
  remedyOf,
} from '../../domain/refused-callbacks.ts'
import { COMMAND } from '../../platform/installation.ts'
import { readIfPossible } from '../reader.ts'
import type { CheckContext } from './context.ts'
import { type Finding, reportOn } from './finding.ts'

const { problem } = reportOn('listeners')

const LOOKED_AT = 1000
/** Causes that are named; a caller may invent any number of paths. */
const NAMED = 5

/** Callbacks of identified callers that were refused in the last 24 hours. */
export async function checkRefusedCallbacks({ config, now }: CheckContext): Promise<Finding[]> {
  const from = now.getTime() - REFUSED_CALLBACK_MS
  const refusals = await recentRefusals(config, { codes: REFUSED_CALLBACK_CODES, from }, LOOKED_AT)
  const refused = refusedCallbacksOf(refusals, givingUpOf(config))
  return refused.slice(0, NAMED).map((one) => findingOf(one, config, refused.length - NAMED))
}

function findingOf(one: RefusedCallbacks, config: Config, others: number): Finding {
  const { environment, path, status, count, lastAt, repeatedUntil: until } = one
  const suffixes = suffixesOf(config, institutionOf(environment))
  const routes = routesOf(config)
  const more = others > 0 ? `; more causes: ${others} ("${COMMAND} refusals list")` : ''
  const again = until === null ? '' : `; the first is sent again until about ${until}: count it as lost after that`
  return problem(
    'callbacks_refused',
    `${environment} ${path ?? one.code}`,
    `callbacks of identified callers that were answered ${status} in the last 24 hours: ${count}, the last at ${new Date(lastAt).toISOString()}${again}${more}`,
    remedyOf(one, { suffixes, matchRoute: (target) => routes(environment, target) }),
  )
}

/** The newest refusals first. */
export function recentRefusals(
  config: Config,
  { codes, from }: { readonly codes: readonly RefusalCode[]; readonly from: number },
  limit: number,
): Promise<readonly RefusalRecord[]> {
  const filter = { codes, refusedFrom: from, newestFirst: true }
  return readIfPossible(config, [], async (reader) => (await reader.listRefusals(filter, limit)).refusals)
}
