import { parsePointer, pointersInFacts } from '../../platform/json-text.ts'

/** Reference tokens that are left until a masked value is reached. */
export type Paths = readonly (readonly string[])[]

export interface PersonalPaths {
  /** Members at any depth, in lower case. */
  readonly anywhere: ReadonlySet<string>
  readonly paths: Paths
}

const ANYWHERE = '/**/'

/** @param split as in KindRule: pointers also lead into its facts */
export function compilePersonalData(pointers: readonly string[], split: readonly string[]): PersonalPaths {
  const isAnywhere = (pointer: string) => pointer.startsWith(ANYWHERE) && !pointer.slice(ANYWHERE.length).includes('/')
  const names = pointers.filter(isAnywhere).map((pointer) => (parsePointer(pointer)[1] ?? '').toLowerCase())
  const others = pointers.filter((pointer) => !isAnywhere(pointer))
  return { anywhere: new Set(names), paths: [...others, ...pointersInFacts(split, others)].map(parsePointer) }
}

/** The paths that lead through a member or element to masked values below it. */
export function pathsBelow(paths: Paths, token: string): Paths {
  return paths.flatMap(([first, ...rest]) => {
    // Any number of levels: this one, or none.
    if (first === '**') return [[first, ...rest], ...pathsBelow([rest], token)]
    return first === '*' || first === token ? [rest] : []
  })
}

export function isMaskedHere(paths: Paths): boolean {
  return paths.some((path) => path.every((token) => token === '**'))
}

/** Whether a value at the pointer is masked, or is inside a masked one. */
export function isMaskedAt({ anywhere, paths }: PersonalPaths, pointer: string): boolean {
  let here = paths
  for (const token of parsePointer(pointer)) {
    if (isMaskedHere(here)) return true
    if (anywhere.has(token.toLowerCase())) return true
    here = pathsBelow(here, token)
  }
  return isMaskedHere(here)
}
