import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { operationsOf as controlOperationsOf } from '../src/cli/operations.ts'
import { type Operation, operationsOf } from './operations.ts'
import { simulatorForTest } from './running.ts'

const PAGE = resolve(import.meta.dirname, '../docs/endpoints.md')
const CONTROL_PAGE = resolve(import.meta.dirname, '../docs/control-operations.md')

/** Where the manual describes what is behind a path: the first that fits. */
const CHAPTERS: readonly (readonly [RegExp, string, string])[] = [
  [/\/webhooks?\b/, 'Webhooks', 'endpoints-account.md#webhooks'],
  [/^account .*\/evp/, 'Keys', 'endpoints-account.md#keys-and-instant-payment-codes'],
  [/^account .*\/relatorios/, 'Statements', 'endpoints-bills.md#statements'],
  [/^account /, 'Account', 'endpoints-account.md#account'],
  [/^payment /, 'Bills', 'endpoints-bills.md#bills'],
  [/^registration /, 'Registration', 'endpoints-carnets.md#registration'],
  [/^open-banking /, 'Open banking', 'endpoints-carnets.md#open-banking'],
  [/\/(plans?|subscription)\b/, 'Plans and subscriptions', 'endpoints-charges.md#plans-and-subscriptions'],
  [/\/carnet\b/, 'Carnets', 'endpoints-carnets.md#carnets'],
  [/^charges /, 'Charges', 'endpoints-charges.md#charges'],
]

it('the tables of endpoints are those that the operations make; --update writes them', async () => {
  const operations = (await operationsOf(await simulatorForTest())).filter(({ id }) => id !== 'token')
  const numbered = operations.filter(({ number }) => number !== null)
  const tables = [
    tableOf(numbered.toSorted((one, other) => orderOf(one) - orderOf(other))),
    tableOf(operations.filter(({ number }) => number === null)),
  ]
  let at = 0
  const page = readFileSync(PAGE, 'utf8').replaceAll(
    /^\| (?:endpoint \| )?interface \| .*\n(?:\|.*\n)+/gm,
    (table) => tables[at++] ?? table,
  )
  expect(at).toBe(tables.length)
  await expect(page).toMatchFileSnapshot(PAGE)
})

it('the page of control operations has each of them by its name, request and effect; --update writes it', async () => {
  const { control } = await simulatorForTest()
  const operations = controlOperationsOf((await control('GET', '/openapi.json')).json)
  const rows = operations.map(({ name, method, path, summary }) => [
    `\`${name}\``,
    `\`${method} ${pathOf(path)}\``,
    summary.replaceAll(/\{\}|\b[a-z]+[A-Z]\w+/g, '`$&`'),
  ])
  const table = markdownOf(['`portaria-simulator ctl`', 'request', 'what it does'], rows)
  const page = readFileSync(CONTROL_PAGE, 'utf8').replace(/^\| (?:.*\n\|)*.*\n/m, table)
  await expect(page).toMatchFileSnapshot(CONTROL_PAGE)
})

function tableOf(operations: readonly Operation[]): string {
  const isNumbered = operations.some(({ number }) => number !== null)
  const head = [...(isNumbered ? ['endpoint'] : []), 'interface', 'method and path', 'scope', 'what it does', 'chapter']
  const rows = operations.map((operation) => {
    const { number, on, method, path, scope, summary } = operation
    const [, name, address] = CHAPTERS.find(([pattern]) => pattern.test(`${on} ${path}`)) ?? []
    const route = `\`${method} ${pathOf(path)}\``
    const first = isNumbered ? [number ?? ''] : []
    return [
      ...first,
      on.replace('-', ' '),
      route,
      scope === null ? 'any' : `\`${scope}\``,
      summary,
      `[${name}](${address})`,
    ]
  })
  return markdownOf(head, rows)
}

function pathOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function markdownOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`.replaceAll('| --- ', '|---').replace('--- |', '---|'))
    .join('')
}

function orderOf({ number }: Operation): number {
  const [document = 0, endpoint = 0] = (number ?? '').split(':').map(Number)
  return 100 * document + endpoint
}
