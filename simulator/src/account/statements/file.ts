import type { Account } from '../../applications.ts'
import { addDays, type CalendarDate } from '../../rules/calendar-date.ts'
import { localDateTime } from '../../rules/local-time.ts'
import { signedDecimalOf } from '../../rules/money.ts'
import { isCredit, type Movement } from '../ledger.ts'
import type { RecordKind } from './record-kinds.ts'

export interface StatementContent {
  readonly account: Pick<Account, 'number' | 'digit' | 'name'>
  readonly date: CalendarDate
  /** The records to show. */
  readonly kinds: readonly RecordKind[]
  /** Movements of the day, of any kind and in any order. */
  readonly movements: readonly Movement[]
  /** At the end of the day before. */
  readonly balanceBeforeCents: number
  /** At the end of the day. */
  readonly balanceCents: number
  /** IANA time zone of the local times. */
  readonly zone: string
}

/** Name and number of the institution; billets have the same number. */
const INSTITUTION = ['Serviço simulado', '999']
const LAYOUT = 'CONCILIACAO'
const TITLE = 'Extrato de conciliação'
const VERSION = '1'

/**
 * A reconciliation statement (Document 1, Downloaded file; service-decisions.md, statement file): header, records and trailer, a line each,
 * with semicolons between fields and no line end behind the trailer. simulator/docs/endpoints-bills.md describes every field.
 */
export function statementFile(content: StatementContent): string {
  const { kinds, date, balanceBeforeCents, balanceCents } = content
  const movements = content.movements.filter(({ kind }) => kinds.includes(kind)).toSorted(byTime)
  const records = [
    ...(kinds.includes('saldoDiaAnterior') ? [balance('saldoDiaAnterior', addDays(date, -1), balanceBeforeCents)] : []),
    ...movements.map((movement) => recordOf(movement, content.zone)),
    ...(kinds.includes('saldoDia') ? [balance('saldoDia', date, balanceCents)] : []),
  ]
  return [headerOf(content), ...records, trailerOf(records.length, movements, balanceCents)]
    .map((fields) => fields.join(';'))
    .join('\n')
}

/** A clock that was set back gives a later movement an earlier time. */
function byTime(one: Movement, other: Movement): number {
  return one.at - other.at || one.id - other.id
}

function headerOf({ account: { number, digit, name }, date }: StatementContent): string[] {
  return ['CA', ...INSTITUTION, LAYOUT, `${number}-${digit}`, plain(name), date, date, TITLE, VERSION]
}

/** In words of the documents. */
const ORIGINS: Readonly<Record<NonNullable<Movement['origin']>['kind'], string>> = {
  bill_payment: 'idPagamento',
  charge: 'charge_id',
}

function recordOf({ kind, id, at, cents, description, origin, reverses }: Movement, zone: string): string[] {
  const [date = '', time = ''] = localDateTime(at, zone).split(' ')
  const ms = String(((at % 1000) + 1000) % 1000).padStart(3, '0')
  return [
    ...[
      kind,
      String(id),
      date,
      `${time}.${ms}`,
      isCredit(kind) ? 'C' : 'D',
      signedDecimalOf(cents),
      plain(description),
    ],
    ...(origin === null ? ['', ''] : [ORIGINS[origin.kind], String(origin.id)]),
    reverses === null ? '' : String(reverses),
  ]
}

/** A balance is neither credit nor debit. */
function balance(kind: RecordKind, date: CalendarDate, cents: number): string[] {
  return [kind, '', date, '', '', signedDecimalOf(cents), '', '', '', '']
}

function trailerOf(records: number, movements: readonly Movement[], balanceCents: number): string[] {
  const credits = movements.filter(({ kind }) => isCredit(kind))
  const debits = movements.filter(({ kind }) => !isCredit(kind))
  const counts = [credits, debits].flatMap((some) => [String(some.length), signedDecimalOf(sumOf(some))])
  return ['T', String(records), ...counts, signedDecimalOf(balanceCents)]
}

/** A day's credits can be more than a number counts exactly, which their balance never is. */
function sumOf(movements: readonly Movement[]): bigint {
  return movements.reduce((sum, { cents }) => sum + BigInt(cents), 0n)
}

/** A text without semicolons, double quotes, line ends and other control characters: no field needs quotes, and each line can be split at its semicolons. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(';', ',')
    .replaceAll('"', "'")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
}
