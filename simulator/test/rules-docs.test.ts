import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { operationsOf } from './operations.ts'
import { simulatorForTest } from './running.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const MANUAL = readFileSync(join(ROOT, 'simulator/docs/simulator.md'), 'utf8')
const RULES = readFileSync(join(ROOT, 'simulator/docs/rules.md'), 'utf8')

interface Row {
  readonly rule: string
  /** Test files with a test of each: a title, a part of it before `…`, or the name of a group. */
  readonly tests: readonly { readonly file: string; readonly titles: readonly string[] }[]
}

/** Cells of the tables of two columns. */
const ROWS: Row[] = [...RULES.matchAll(/^\| (.+?) \| (.*`[\w/.-]+\.test\.ts`.*) \|$/gm)].map(
  ([, rule = '', cell = '']) => ({
    rule,
    tests: cell
      .split(/(?=`[\w/.-]+\.test\.ts`)/)
      .map((part) => /^`([\w/.-]+\.test\.ts)`:?(.*)$/.exec(part))
      .flatMap((found) => (found === null ? [] : [{ file: found[1] ?? '', titles: titlesIn(found[2] ?? '') }])),
  }),
)

/** Without the words that choose rows of a table of cases. */
function titlesIn(text: string): string[] {
  const title = text
    .replace(/,? \(?(the last two |other |last )?rows?\b.*$/, '')
    .replace(/[\s;,]+$/, '')
    .trim()
  return title === '' ? [] : [title]
}

const pathOf = (file: string) => join(ROOT, file.startsWith('test/') ? file : `simulator/test/${file}`)

/** Every fragment between `…` is in the file; several titles are separated by semicolons. */
function isIn(file: string, title: string): boolean {
  const source = readFileSync(pathOf(file), 'utf8')
  const has = (text: string) => text.split('…').every((part) => source.includes(part.trim()))
  return has(title) || title.split(';').every(has)
}

it.each(ROWS)('the tests of the rule “$rule” are there', ({ tests }) => {
  expect(tests).not.toEqual([])
  for (const { file, titles } of tests) {
    expect(existsSync(pathOf(file)), file).toBe(true)
    expect(titles.filter((title) => !isIn(file, title))).toEqual([])
  }
})

/** Document 1 has 24 endpoints, Document 2 has 14. */
const NUMBERS = [24, 14].flatMap((count, document) =>
  Array.from({ length: count }, (_, index) => `${document + 1}:${index + 1}`),
)

it('each endpoint of both documents is in the simulator, in simulator/docs/simulator.md with its chapter, and has a test', async () => {
  const operations = await operationsOf(await simulatorForTest())
  const shown = [...MANUAL.matchAll(/^\| (\d:\d+) \| ([\w ]+) \| `(\w+) (\S+)` \| .+ \| \[.+\]\(#([\w-]+)\) \|$/gm)]
  const numbered = operations.filter(({ number }) => number !== null)
  expect(numbered.map(({ number }) => number).sort()).toEqual(NUMBERS.toSorted())
  expect(
    shown.map(([, number, on, method, path = '']) => [number, on, method, path.replace(/:(\w+)/g, '{$1}')]),
  ).toEqual(
    NUMBERS.map((number) => {
      const { on, method, path } = numbered.find((one) => one.number === number) ?? {}
      return [number, on?.replace('-', ' '), method, path]
    }),
  )
  const chapters = new Set(
    [...MANUAL.matchAll(/^##+ (.+)$/gm)].map(([, name = '']) => name.toLowerCase().replaceAll(' ', '-')),
  )
  expect(shown.map(([, , , , , chapter = '']) => chapter).filter((chapter) => !chapters.has(chapter))).toEqual([])
  expect(ROWS.map(({ rule }) => rule).filter((rule) => NUMBERS.includes(rule))).toEqual(NUMBERS)
})

it('each endpoint that service-decisions.md adds is in simulator/docs/simulator.md', async () => {
  const added = (await operationsOf(await simulatorForTest())).filter(
    ({ number, id }) => number === null && id !== 'token',
  )
  expect(
    added.filter(({ method, path }) => !MANUAL.includes(`\`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}\``)),
  ).toEqual([])
})
