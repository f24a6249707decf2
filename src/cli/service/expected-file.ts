import { environmentNamed, partsOf } from '../../domain/realm.ts'
import type { ExpectedSubject } from '../../domain/reconcile/reconcile-store.ts'
import { expectedOf, problemOfSubject, type ReconciledKinds } from '../../domain/reconcile/reconciled-kinds.ts'
import { CHARGE_TYPES, type ChargeType } from '../../domain/reconcile/subjects.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { type CsvRow, csvRows } from './csv-rows.ts'

const REQUIRED = ['kind', 'environment', 'subject'] as const
const OPTIONAL = ['type', 'institution'] as const
const COLUMNS = [...REQUIRED, ...OPTIONAL]
type Column = (typeof COLUMNS)[number]
const MISTAKES_SHOWN = 5

/** Subjects that have all but their ids in common. */
export interface ExpectedGroup {
  readonly expected: Omit<ExpectedSubject, 'subject'>
  /** Each once. */
  readonly subjects: ReadonlySet<string>
}

/**
 * The subjects of a CSV with the header `kind,environment,subject`, in any order, and the optional columns `type` and `institution`.
 * @param kinds those that are reconciled
 * @throws PortariaError `conflict` with the lines that are wrong
 */
export function expectedIn(text: string, file: string, kinds: readonly ReconciledKinds[]): readonly ExpectedGroup[] {
  const [header, ...rows] = csvRows(text)
  const columns = columnsOf(header, file)
  const groups = new Map<string, { expected: ExpectedGroup['expected']; subjects: Set<string> }>()
  const mistakes: string[] = []
  for (const [index, row] of rows.entries()) {
    if (row.isEmpty) continue
    const read = readLine(row, columns, kinds)
    if ('problem' in read) mistakes.push(`line ${index + 2}: ${read.problem}`)
    else {
      const { subject, ...expected } = read
      const key = JSON.stringify([expected.kind, expected.environment, expected.type])
      const group = groups.get(key) ?? { expected, subjects: new Set() }
      groups.set(key, group)
      group.subjects.add(subject)
    }
  }
  if (mistakes.length > 0) throw wrongLines(mistakes, file)
  if (groups.size === 0)
    throw new PortariaError('conflict', say`${{ file }} has no line below its header: nothing was taken`)
  return [...groups.values()]
}

function columnsOf(header: CsvRow | undefined, file: string): readonly Column[] {
  const names = (header?.cells ?? []).map((cell) => cell.toLowerCase())
  const isKnown = names.every((name) => COLUMNS.some((column) => column === name))
  const isWhole = REQUIRED.every((column) => names.includes(column)) && new Set(names).size === names.length
  if (isKnown && isWhole) return names as Column[]
  throw new PortariaError(
    'conflict',
    say`${{ file }}, line 1: the header must be kind,environment,subject, and may also have type and institution; nothing was taken`,
  )
}

function readLine(
  { cells }: CsvRow,
  columns: readonly Column[],
  kinds: readonly ReconciledKinds[],
): ExpectedSubject | { readonly problem: string } {
  if (cells.length !== columns.length)
    return { problem: `it has ${cells.length} values, and the header ${columns.length}` }
  const of = (column: Column) => cells[columns.indexOf(column)] ?? ''
  const environment = environmentNamed(of('environment'))
  if (environment === null) return { problem: `environment "${of('environment')}" is neither production nor sandbox` }
  const type = of('type') || undefined
  if (!isType(type)) return { problem: `type "${type}" is none of ${CHARGE_TYPES.join(', ')}` }
  const subject = of('subject')
  // A quote that is not closed takes the rest of the line.
  const problem = subject.startsWith('"') ? 'has a quote that is not closed' : problemOfSubject(subject)
  if (problem !== null) return { problem: `subject ${problem}` }
  const named = { kind: of('kind'), institution: of('institution') || undefined, environment, type }
  const found = expectedOf(named, kinds)
  return 'problem' in found ? { problem: `${found.member} ${found.problem}` } : { ...found, subject }
}

function isType(type: string | undefined): type is ChargeType | undefined {
  return type === undefined || CHARGE_TYPES.some((one) => one === type)
}

function wrongLines(mistakes: readonly string[], file: string): PortariaError {
  const more = mistakes.length > MISTAKES_SHOWN ? [`and ${mistakes.length - MISTAKES_SHOWN} more`] : []
  const lines = mistakes.length === 1 ? 'a wrong line' : `${mistakes.length} wrong lines`
  return new PortariaError('conflict', `${file} has ${lines}; nothing was taken`, {
    details: [...mistakes.slice(0, MISTAKES_SHOWN), ...more],
  })
}

/** Bodies of requests that the API takes, each with as many subjects as fit. */
export function requestsFor(
  { expected, subjects }: ExpectedGroup,
  most: { subjects: number; bytes: number },
): object[] {
  const { kind, environment, type } = expected
  const { institution, environment: named } = partsOf(environment)
  const isOfCharges = CHARGE_TYPES.some((one) => one === type)
  const common = {
    kind,
    ...(institution !== null && { institution }),
    environment: named,
    ...(isOfCharges && { type }),
  }
  const slices: string[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const subject of subjects) {
    const length = Buffer.byteLength(JSON.stringify(subject)) + 1
    if (bytes + length > most.bytes || (slices.at(-1)?.length ?? 0) >= most.subjects) {
      slices.push([])
      bytes = 0
    }
    slices.at(-1)?.push(subject)
    bytes += length
  }
  return slices.map((slice) => ({ ...common, subjects: slice }))
}
