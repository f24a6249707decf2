import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-6'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MOST_LINES = 120

/** Functions, with their inner ones. */
function longIn(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest, true)
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line
  const found: string[] = []
  function look(node: ts.Node): void {
    const lines = lineAt(node.end) - lineAt(node.getStart()) + 1
    if (ts.isFunctionLike(node) && lines > MOST_LINES) found.push(`${path}:${lineAt(node.getStart()) + 1} has ${lines}`)
    ts.forEachChild(node, look)
  }
  look(file)
  return found
}

const files = ['src', 'packaging', 'simulator/src', 'receiver/src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)

it(`no function has more than ${MOST_LINES} lines`, () => {
  expect(files.flatMap(longIn)).toEqual([])
})

it('no object literal is spread into another one: each key has a line of its own', () => {
  expect(files.filter((path) => /\.\.\.\{/.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})
