import { createHash } from 'node:crypto'

/** Subjects of the campaign's events. */
export const SUBJECTS = 40

const NAMES = ['ana', 'anabela', 'Lúcia', 'eva', 'evandro']

/** The values of the nth event: some common, some its own. */
export function searchedValues(n: number): object {
  const own = Array.from({ length: 12 }, (_, at) => createHash('md5').update(`${n} ${at}`).digest('hex'))
  return { name: NAMES[n % NAMES.length], number: n, amount: `${n % 50}.10`, date: `2026-11-${10 + (n % 20)}`, own }
}
