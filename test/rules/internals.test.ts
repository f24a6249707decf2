import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** What no documentation of Node or undici promises. Symbols and underscores at the beginning of names are how they mark it. */
const INTERNAL =
  /(?<=\.)_[a-z]\w*|\b_[a-z]\w*(?=\?:)|\bhttp\.server\.\w+|\bundici\/lib\/[\w/.]+|\bparser(?=\?[.:]|\.\w)|\bpush(?= =)|\bshouldKeepAlive\b|\bprocess\.binding\b/g

const rows = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| `[^|]+\| `(src|simulator)\//.test(line))

const named = rows.flatMap((row) => {
  const [, names = '', places = ''] = row.split('|')
  return quoted(places).flatMap((file) => quoted(names).map((name) => ({ file, name })))
})

it('docs/dependencies.md names each use of internals of Node and undici, and no other', () => {
  const files = ['src', 'simulator/src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
  const missing = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...new Set(textOf(file).match(INTERNAL))].map((name) => ({ file, name })))
    .filter((use) => !named.some(({ file, name }) => file === use.file && name === use.name))
  expect(missing).toEqual([])
  expect(named.filter(({ file, name }) => !textOf(file).includes(name))).toEqual([])
})

it('each test that the table names is there', () => {
  const tests = rows.flatMap((row) => quoted(row.split('|')[4] ?? ''))
  expect(tests.length).toBeGreaterThanOrEqual(rows.length)
  expect(tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
}
