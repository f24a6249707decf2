import { writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { type Listing, printList } from '../../src/cli/listing/listing.ts'
import { layoutFor, namesLeftOut, screenWidth, tableOf } from '../../src/cli/listing/table.ts'
import { action, fail } from '../../src/cli/output.ts'

const NUMBERS = { columns: ['one'], none: 'none' } satisfies Listing<{ one: number }>

/** What is printed for numbers, and how many of them had been read when the first text was printed. */
async function printed(count: number, json: boolean) {
  const texts: string[] = []
  let read = 0
  let readBefore = 0
  function* numbers() {
    for (; read < count; ) yield { one: read++ }
  }
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    if (texts.length === 0) readBefore = read
    texts.push(String(text))
    return true
  })
  await printList(numbers(), NUMBERS, { json })
  vi.restoreAllMocks()
  return { lines: texts.join('').split('\n'), readBefore }
}

// More than a call takes as arguments: some 100,000.
it('a list of 120,000 is printed from its first rows on, as a table and as JSON', async () => {
  const table = await printed(120_000, false)
  expect([table.lines.length, table.lines[0], table.lines[1], table.lines.at(-2)]).toEqual([
    120_002,
    'one',
    '0',
    '119999',
  ])
  expect(table.readBefore).toBeLessThanOrEqual(501)
  const json = await printed(5000, true)
  expect([json.lines.length, json.lines.at(-2), json.readBefore]).toEqual([5001, '{"one":4999}', 1])
  expect((await printed(0, false)).lines).toEqual(['none', ''])
})

const COLUMNS = [
  'id',
  { name: 'certificate', cut: 'left' },
  { name: 'note', leftOut: 1 },
  { name: 'reason', cut: 'right' },
] as const
const ROW = ['rfs_1', 'O=Acme,CN=client.acme.example', 'a note', 'no certificate at all was presented']

it('a table fits the terminal: names lose their beginning, sentences their end, ids nothing', () => {
  const wide = `id     certificate                    note    reason\nrfs_1  O=Acme,CN=client.acme.example  a note  ${ROW[3]}\n`
  expect(tableOf(COLUMNS, [ROW], null)).toBe(wide)
  expect(tableOf(COLUMNS, [ROW], 81)).toBe(wide)
  expect(tableOf(COLUMNS, [ROW], 60)).toBe(
    'id     certificate            note    reason\nrfs_1  …=client.acme.example  a note  no certificate at all…\n',
  )
  for (const line of tableOf(COLUMNS, [ROW], 60).trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(60)
})

it('what does not fit at all is left out, named, and the rest shown', () => {
  const layout = layoutFor(COLUMNS, [ROW], 36)
  expect(namesLeftOut(layout)).toEqual(['note'])
  expect(tableOf(COLUMNS, [ROW], 36)).toBe(
    'id     certificate    reason\nrfs_1  …acme.example  no certificat…\n(too narrow for: note; --json shows all)\n',
  )
  expect(tableOf(COLUMNS, [ROW], 10)).toContain('rfs_1  ')
  expect(namesLeftOut(layoutFor(COLUMNS, [ROW], 20))).toContain('reason')
  const [head = '', row = '', left] = tableOf(COLUMNS, [ROW], 20).split('\n')
  expect(
    [head.length, row.length].every((length) => length <= 20),
    `${head}\n${row}`,
  ).toBe(true)
  expect(left).toBe('(too narrow for: note, reason; --json shows all)')
  expect(namesLeftOut(layoutFor(COLUMNS, [ROW], null))).toEqual([])
  const ordered = [{ name: 'second', leftOut: 2 }, 'stays', { name: 'first', leftOut: 1 }]
  const leftAt = (screen: number) => namesLeftOut(layoutFor(ordered, [], screen))
  expect([20, 19, 13, 12, 1].map(leftAt)).toEqual([[], ['first'], ['first'], ['second', 'first'], ['second', 'first']])
})

it('a name takes the width of the columns that are left out', () => {
  const name = 'O=Acme,OU=Payments,CN=client.acme.example'
  const digest = 'AB:'.repeat(32).slice(0, -1)
  const columns = ['change', { name: 'certificate', cut: 'left' }, 'expires', 'SHA-256'] as const
  expect(tableOf(columns, [['+ added', name, '2031-01-31', digest]], 80)).toBe(
    `change   certificate${' '.repeat(name.length - 11)}  expires\n+ added  ${name}  2031-01-31\n(too narrow for: SHA-256; --json shows all)\n`,
  )
})

it('the width is that of the terminal, or COLUMNS; without a terminal there is none', () => {
  expect(screenWidth({ isTTY: true, columns: 132 }, {})).toBe(132)
  expect(screenWidth({ isTTY: true, columns: 132 }, { COLUMNS: '100' })).toBe(100)
  expect(screenWidth({ isTTY: true, columns: 132 }, { COLUMNS: 'wide' })).toBe(132)
  expect(screenWidth({ isTTY: true, columns: 0 }, {})).toBeNull()
  expect(screenWidth({ isTTY: false, columns: 132 }, { COLUMNS: '100' })).toBeNull()
})

it('a row that is wider than the first ones widens its column for those after it', async () => {
  const texts: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => texts.push(String(text)) > 0)
  const rows = [...Array<number>(500).fill(1), 100_000, 2]
  const name = { name: 'name', of: () => 'x' }
  await printList(
    rows.map((n) => ({ n })),
    { columns: ['n', name], none: '' },
    {},
  )
  vi.restoreAllMocks()
  expect(texts.join('').split('\n').slice(499)).toEqual(['1  x', '1  x', '100000  x', '2       x', ''])
})

it('an error of the disk ends a command in our words, with advice, without a stack', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const code = process.exitCode
  await action(async () => writeFileSync('/dev/full', 'a backup'))()
  const [text, exitCode] = [written.mock.calls.map(([line]) => line).join(''), process.exitCode]
  process.exitCode = code
  vi.restoreAllMocks()
  expect([text, exitCode]).toEqual([
    'portaria: the disk is full; check the disk and the limits of this machine, then run the command again\n',
    1,
  ])
})

it('an internal error writes no control characters, which an answer that is not JSON may have', () => {
  const texts: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => texts.push(String(text)) > 0)
  try {
    JSON.parse('\x1b]0;title\x07')
  } catch (error) {
    fail(error)
  }
  write.mockRestore()
  process.exitCode = undefined
  expect(texts.join('')).toMatch(/internal error: SyntaxError.*\\u001b.*\n\s+at /)
  expect(texts.join('')).not.toMatch(/[^\P{Cc}\n]/u)
})
