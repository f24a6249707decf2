import { expect } from 'vitest'

export interface ReadRecord {
  readonly kind: string
  readonly id: string
  readonly date: string
  readonly time: string
  readonly nature: string
  readonly amount: string
  readonly description: string
  readonly origin: string
  readonly originId: string
  readonly reverses: string
}

export interface ReadStatement {
  readonly header: readonly string[]
  readonly records: readonly ReadRecord[]
  readonly trailer: readonly string[]
}

const AMOUNT = /^-?\d+\.\d\d$/

/** Reads a statement by lines and semicolons alone. Recomputes the trailer from the records. */
export function readStatement(text: string): ReadStatement {
  const lines = text.split('\n').map((line) => line.split(';'))
  const header = lines[0] as string[]
  const trailer = lines.at(-1) as string[]
  const records = lines.slice(1, -1).map(recordOf)
  expect(header).toHaveLength(10)
  expect(header[0]).toBe('CA')
  expect(trailer).toHaveLength(7)
  const credits = records.filter(({ nature }) => nature === 'C')
  const debits = records.filter(({ nature }) => nature === 'D')
  expect(trailer.slice(0, 6)).toEqual([
    ...['T', String(records.length)],
    ...[String(credits.length), totalOf(credits), String(debits.length), totalOf(debits)],
  ])
  expect(trailer[6]).toMatch(AMOUNT)
  return { header, records, trailer }
}

function recordOf(fields: string[]): ReadRecord {
  expect(fields).toHaveLength(10)
  const [kind = '', id = '', date = '', time = '', nature = '', amount = '', ...rest] = fields
  const [description = '', origin = '', originId = '', reverses = ''] = rest
  expect(amount).toMatch(AMOUNT)
  if (kind.startsWith('saldo')) expect([id, time, nature, ...rest].join('')).toBe('')
  else expect(nature).toBe(addsToBalance(kind) ? 'C' : 'D')
  return { kind, id, date, time, nature, amount, description, origin, originId, reverses }
}

/** What was received or given back by others: the names of Document 1 say so. */
function addsToBalance(kind: string): boolean {
  return /Recebid[ao]$/.test(kind) ? !/^tarifa/.test(kind) : /^estorno/.test(kind)
}

/** Cents of an amount, as a whole number. */
export function centsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

function totalOf(records: readonly ReadRecord[]): string {
  const digits = String(records.reduce((sum, { amount }) => sum + centsOf(amount), 0n)).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
