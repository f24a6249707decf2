import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

export interface Size {
  readonly lines: number
  readonly files: number
}

/** Lines and files of TypeScript below a folder of the repository. */
export function sizeOf(folder: string): Size {
  const files = codeIn(folder)
  return { lines: files.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0), files: files.length }
}

/** Folders below these that import each other, as `src/api <> src/pages`. Imports of types count. */
export function mutualPairs(folders: readonly string[]): string[] {
  const arrows = new Set(
    folders.flatMap(codeIn).flatMap((file) =>
      targetsOf(file)
        .filter((target) => dirname(target) !== dirname(file))
        .map((target) => `${dirname(file)} <> ${dirname(target)}`),
    ),
  )
  const isMutual = (arrow: string) => arrows.has(arrow.split(' <> ').reverse().join(' <> '))
  return [...arrows].filter((arrow) => isMutual(arrow) && isFirst(arrow)).sort()
}

/** Each pair counts once. */
function isFirst(arrow: string): boolean {
  const [one = '', other = ''] = arrow.split(' <> ')
  return one < other
}

function codeIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
    .map((file) => join(folder, file))
}

function targetsOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:from|import|import\()\s*['"](\.[^'"]+\.ts)['"]/g)].map(([, specifier = '']) =>
    join(dirname(file), specifier),
  )
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}
