import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { operationsOf } from './operations.ts'
import { simulatorForTest } from './running.ts'

const FOLDER = resolve(import.meta.dirname, '../docs')
const MANUAL = readFileSync(join(FOLDER, 'endpoints.md'), 'utf8')
const RULES = readFileSync(join(FOLDER, 'rules.md'), 'utf8')

/** Cells of the tables of two columns: a rule, and the files of its tests. */
const ROWS = [...RULES.matchAll(/^\| (.+?) \| (.*`[\w/.-]+\.test\.ts`.*) \|$/gm)].map(([, rule = '', cell = '']) => ({
  rule,
  files: [...cell.matchAll(/`([\w/.-]+\.test\.ts)`/g)].map(([, file = '']) => file),
}))

it('the test files of every rule are there, and no row names the title of a test', () => {
  expect(ROWS.length).toBeGreaterThan(500)
  const tests = [...RULES.matchAll(/^\| .+ \| (.*\.test\.ts.*) \|$/gm)].map(([, cell = '']) => cell)
  expect(tests.filter((cell) => !/^`[\w/.-]+\.test\.ts`(, `[\w/.-]+\.test\.ts`)*$/.test(cell))).toEqual([])
  // Those of the gateway with the simulator begin with test/: the rules of the documents look for them.
  const files = new Set(ROWS.flatMap((row) => row.files).filter((file) => !file.startsWith('test/')))
  expect([...files].filter((file) => !existsSync(join(import.meta.dirname, file)))).toEqual([])
})

/** Document 1 has 24 endpoints, Document 2 has 14. */
const NUMBERS = [24, 14].flatMap((count, document) =>
  Array.from({ length: count }, (_, index) => `${document + 1}:${index + 1}`),
)

it('each endpoint of both documents is in the simulator, in simulator/docs/endpoints.md with its chapter, and has a test', async () => {
  const operations = await operationsOf(await simulatorForTest())
  const shown = [
    ...MANUAL.matchAll(
      /^\| (\d:\d+) \| ([\w ]+) \| `(\w+) (\S+)` \| .+ \| .+ \| \[.+\]\((endpoints-[\w.-]+#[\w-]+)\) \|$/gm,
    ),
  ]
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
  const pages = readdirSync(FOLDER).filter((page) => page.startsWith('endpoints-'))
  const chapters = new Set(
    pages.flatMap((page) =>
      [...readFileSync(join(FOLDER, page), 'utf8').matchAll(/^##+ (.+)$/gm)].map(
        ([, name = '']) => `${page}#${name.toLowerCase().replaceAll(' ', '-')}`,
      ),
    ),
  )
  expect(shown.map(([, , , , , chapter = '']) => chapter).filter((chapter) => !chapters.has(chapter))).toEqual([])
  expect(ROWS.map(({ rule }) => rule).filter((rule) => NUMBERS.includes(rule))).toEqual(NUMBERS)
})

it('each endpoint that service-decisions.md adds is in simulator/docs/endpoints.md', async () => {
  const added = (await operationsOf(await simulatorForTest())).filter(
    ({ number, id }) => number === null && id !== 'token',
  )
  expect(
    added.filter(({ method, path }) => !MANUAL.includes(`\`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}\``)),
  ).toEqual([])
})
