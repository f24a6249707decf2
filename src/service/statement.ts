import { membersOf } from './answer.ts'
import { garbage } from './call.ts'
import type { ServiceClient } from './client.ts'

/** A statement of an account (Document 1, endpoints 7 and 8). */
export interface WantedStatement {
  /** `api.servicePathSegment`. */
  readonly segment: string
  /** A local day before today, `2026-03-04`. */
  readonly day: string
  /** Kinds of records: members of `tipoRegistros`, such as `pixRecebido`. */
  readonly records: readonly string[]
}

export interface CountedRecords {
  readonly count: number
  /** Sum of the amounts, each as the file has it: without a sign. */
  readonly cents: bigint
}

export interface DayStatement {
  /** By kind; a kind without records is missing. */
  readonly kinds: ReadonlyMap<string, CountedRecords>
  readonly credits: CountedRecords
  readonly debits: CountedRecords
}

/** `waiting`: the service has not made the file yet; asked again with the same parameters, some 30 s later, it finds it. */
export type StatementAnswer = { readonly sort: 'waiting' } | ({ readonly sort: 'told' } & DayStatement)

/** Some 130,000 records. */
const STATEMENT_BYTES = 16 * 1024 * 1024

/**
 * Asks for the statement of a day, and downloads it: two calls, of which none is repeated here.
 * @throws ServiceFailure; `garbage` for a file of another day, or whose trailer contradicts its records
 */
export async function askStatement(
  client: ServiceClient,
  { segment, day, records }: WantedStatement,
  signal?: AbortSignal,
): Promise<StatementAnswer> {
  const fail = (status: number, text: string): never => {
    throw garbage({ ...client, on: 'account' }, status, `answered ${text}`)
  }
  const once = { isRepeatable: false, ...(signal && { signal }) }
  const requested = await client.request('account', {
    method: 'POST',
    path: `/v2/${segment}/relatorios/extrato-conciliacao`,
    json: { dataMovimento: day, tipoRegistros: Object.fromEntries(records.map((kind) => [kind, true])) },
    scope: 'svc.reports.write',
    ...once,
  })
  const { id } = membersOf(requested.json)
  if (typeof id !== 'string' || !/^[\w-]{1,128}$/.test(id))
    return fail(requested.status, 'the request for a statement without its id')
  const { status, bytes } = await client.request('account', {
    method: 'GET',
    path: `/v2/${segment}/relatorios/${id}`,
    scope: 'svc.reports.read',
    expects: 'nothing',
    answerBytes: STATEMENT_BYTES,
    ...once,
  })
  if (status === 202) return { sort: 'waiting' }
  const read = readStatement(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'), day)
  return 'problem' in read ? fail(status, `a statement ${read.problem}`) : { sort: 'told', ...read }
}

const HEADER_FIELDS = 10
const RECORD_FIELDS = 10
const TRAILER_FIELDS = 7

/** The file (service-decisions.md, statement file). No field has a semicolon. */
export function readStatement(text: string, day: string): DayStatement | { readonly problem: string } {
  const lines = text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split(';'))
  const [header = [], trailer = []] = [lines[0], lines.at(-1)]
  if (header[0] !== 'CA' || header.length !== HEADER_FIELDS) return { problem: 'without a header' }
  if (header[6] !== day || header[7] !== day) return { problem: `of another day than ${day}` }
  if (trailer[0] !== 'T' || trailer.length !== TRAILER_FIELDS) return { problem: 'without a trailer' }
  const read = lines.slice(1, -1).map(recordOf)
  if (!read.every((one) => one !== null)) return { problem: 'with a record that cannot be read' }
  const [credits, debits] = [sumOf(read.filter(isOf('C'))), sumOf(read.filter(isOf('D')))]
  const [, records, creditCount, creditSum, debitCount, debitSum] = trailer
  const told = [records, creditCount, centsOf(creditSum), debitCount, centsOf(debitSum)]
  const found = [read.length, credits.count, credits.cents, debits.count, debits.cents]
  if (told.map(String).join() !== found.map(String).join()) return { problem: 'whose trailer contradicts its records' }
  const byKind = Map.groupBy(read, ({ kind }) => kind)
  return { credits, debits, kinds: new Map([...byKind].map(([kind, some]) => [kind, sumOf(some)])) }
}

interface StatementRecord {
  readonly kind: string
  /** `C`, `D`, or empty of a balance. */
  readonly nature: string
  readonly cents: bigint
}

function isOf(nature: string): (record: StatementRecord) => boolean {
  return (record) => record.nature === nature
}

function recordOf(fields: readonly string[]): StatementRecord | null {
  const [kind = '', , , , nature = '', amount] = fields
  const cents = centsOf(amount)
  if (fields.length !== RECORD_FIELDS || cents === null || !['C', 'D', ''].includes(nature)) return null
  return { kind, nature, cents }
}

function sumOf(records: readonly StatementRecord[]): CountedRecords {
  return { count: records.length, cents: records.reduce((sum, { cents }) => sum + cents, 0n) }
}

/** null: it is no amount with two decimals. */
function centsOf(amount: string | undefined): bigint | null {
  return amount !== undefined && /^-?\d{1,30}\.\d\d$/.test(amount) ? BigInt(amount.replace('.', '')) : null
}
