import type {
  PeerCertificateRecord,
  RefusalBatch,
  RefusalFilter,
  RefusalPage,
  RefusalRecord,
} from '../../domain/refusal.ts'
import { REFUSED_CALLBACK_CODES } from '../../domain/refused-callbacks.ts'
import { inEnvironment, ofInstitution } from '../rules/realm-conditions.ts'
import { type Asked, get, one, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { newestNumber, numberedPage } from './numbered-page.ts'
import { insertInto, selected } from './table-texts.ts'

interface RefusalRow extends Omit<RefusalRecord, 'chain' | 'isProbe'> {
  readonly chain: string
  readonly isProbe: boolean | number
}

function refusalOf({ chain, isProbe, ...row }: RefusalRow): RefusalRecord {
  return { ...row, chain: JSON.parse(chain) as PeerCertificateRecord[], isProbe: Boolean(isProbe) }
}

/** The newest refusals are kept: per address, so that one scanner does not displace the others, and in total. */
const KEPT_PER_ADDRESS = 1000
const KEPT = 10_000
/** Refused callbacks of identified callers are kept apart, so that no scanner displaces them. */
const KEPT_CALLBACKS = 1000
const OF_CALLBACK = `(environment is not null and code in (${REFUSED_CALLBACK_CODES.map((code) => `'${code}'`).join()}))`
const OF_OTHERS = `remote_address = :address and not ${OF_CALLBACK}`

/** Returns how many were newly marked as the service's probe. */
export function* recordRefusals(d: Dialect, { refusals, probes }: RefusalBatch): Asked<number> {
  for (const refusal of refusals)
    yield* run(insertInto(d, 'refusals', 'id', 'is_probe'), { ...refusal, chain: JSON.stringify(refusal.chain) })
  for (const address of new Set(refusals.map(({ remoteAddress }) => remoteAddress)))
    yield* run(
      `delete from refusals where ${OF_OTHERS}
        and id <= (select id from refusals where ${OF_OTHERS} order by id desc limit 1 offset ${KEPT_PER_ADDRESS})`,
      { address },
    )
  const { callbacks, others } = yield* one<{ callbacks: number; others: number }>(
    `select count(*) filter (where ${OF_CALLBACK}) as callbacks, count(*) filter (where not ${OF_CALLBACK}) as others from refusals`,
  )
  if (others > KEPT) yield* removeOldest(`not ${OF_CALLBACK}`, others - KEPT)
  if (callbacks > KEPT_CALLBACKS) yield* removeOldest(OF_CALLBACK, callbacks - KEPT_CALLBACKS)
  let marked = 0
  for (const { address, since } of probes)
    marked += yield* run(
      `update refusals set is_probe = true
      where remote_address = :address and code = 'no_certificate' and refused_at >= ${d.time(':since')} and not is_probe`,
      { address, since },
    )
  return marked
}

function removeOldest(condition: string, limit: number): Asked<number> {
  return run(`delete from refusals where id in (select id from refusals where ${condition} order by id limit :limit)`, {
    limit,
  })
}

export function dropRefusals(_: Dialect, limit: number): Asked<number> {
  return removeOldest('true', limit)
}

export function* listRefusals({ time, texts }: Dialect, filter: RefusalFilter, limit: number): Asked<RefusalPage> {
  const conditions = [
    ['before', 'id < :before'],
    ['address', 'remote_address = :address'],
    ['listener', 'listener = :listener'],
    ['environment', inEnvironment('environment')],
    ['institution', ofInstitution('environment')],
    ['refusedFrom', `refused_at >= ${time(':refusedFrom')}`],
    ['refusedTo', `refused_at < ${time(':refusedTo')}`],
    ['codes', `code in (select value from ${texts(':codes')} as given)`],
  ] as const
  const { rows, ...rest } = yield* numberedPage<RefusalRow, RefusalFilter>('refusals', conditions, filter, limit)
  return { refusals: rows.map(refusalOf), ...rest }
}

export function* getRefusal(_: Dialect, id: number): Asked<RefusalRecord | null> {
  const row = yield* get<RefusalRow>(`select ${selected('refusals')} from refusals where id = :id`, { id })
  return row === undefined ? null : refusalOf(row)
}

export function latestRefusal(_: Dialect): Asked<number> {
  return newestNumber('refusals')
}
