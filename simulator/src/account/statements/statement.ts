import { randomUUID } from 'node:crypto'
import type { CalendarDate } from '../../rules/calendar-date.ts'
import { localDate } from '../../rules/local-time.ts'
import type { Site } from '../../site.ts'
import type { RecordKind } from './record-kinds.ts'

/** Document 1, Reconciliation statement status. */
export const STATEMENT_STATUSES = ['AGUARDANDO_PROCESSAMENTO', 'EM_PROCESSAMENTO', 'CONCLUIDO'] as const
export type StatementStatus = (typeof STATEMENT_STATUSES)[number]

/** The parameters of a request. */
export interface StatementParameters {
  /** Number of the account. */
  readonly account: string
  readonly date: CalendarDate
  readonly kinds: readonly RecordKind[]
}

export interface Statement extends StatementParameters {
  readonly id: string
  /** Simulated time of the first request, in ms since 1970. */
  readonly requestedAt: number
}

/** The statement with these parameters: the first request creates it, and each later one finds it. */
export function requestStatement(site: Site, parameters: StatementParameters): Statement {
  const { account, date, kinds } = parameters
  const ids = site.collection<string>('statement-ids')
  const key = [account, date, ...kinds.toSorted()].join(' ')
  const known = findStatement(site, account, ids.get(key) ?? '')
  if (known !== undefined) return known
  const created: Statement = { id: randomUUID(), ...parameters, requestedAt: site.clock.now() }
  site.records.transaction(() => {
    statementsOf(site).put(created.id, created)
    ids.put(key, created.id)
  })
  return created
}

/** undefined: this account has no such statement. */
export function findStatement(site: Site, account: string, id: string): Statement | undefined {
  const statement = statementsOf(site).get(id)
  return statement?.account === account ? statement : undefined
}

/** Follows from the simulated time. Before its request, to which only a clock that was set back leads, a statement is ready when its day is over. */
export function statusOf({ clock, settings }: Site, { requestedAt, date }: Statement): StatementStatus {
  const processingMs = settings.statements.processingSeconds * 1000
  const elapsedMs = clock.now() - requestedAt
  if (elapsedMs < 0) return date < localDate(clock.now(), settings.timeZone) ? 'CONCLUIDO' : 'AGUARDANDO_PROCESSAMENTO'
  if (elapsedMs >= processingMs) return 'CONCLUIDO'
  return elapsedMs < processingMs / 3 ? 'AGUARDANDO_PROCESSAMENTO' : 'EM_PROCESSAMENTO'
}

/** The statements of an account in the order of their requests, with the time from which each is ready. */
export function listStatements(site: Site, account: string): readonly (Statement & { readonly readyAt: number })[] {
  const processingMs = site.settings.statements.processingSeconds * 1000
  return statementsOf(site)
    .list()
    .filter((statement) => statement.account === account)
    .map((statement) => ({ ...statement, readyAt: statement.requestedAt + processingMs }))
}

function statementsOf(site: Site) {
  return site.collection<Statement>('statements')
}
