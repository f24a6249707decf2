import { parsePointer, pointersInFacts } from '../../platform/json-text.ts'

/** What is left of a pointer on the way to its masked values. */
interface Path {
  /** null: the pointer ended before. */
  readonly token: string | null
  readonly rest: Path | null
  /** Nothing is left, or only what may mean no level. */
  readonly isAtEnd: boolean
}

/** None is there twice, so there are at most as many as all pointers have tokens, however deep the value is. */
export type Paths = readonly Path[]

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
  return { anywhere: new Set(names), paths: [...others, ...pointersInFacts(split, others)].map(compilePath) }
}

const END: Path = { token: null, rest: null, isAtEnd: true }

function compilePath(pointer: string): Path {
  return parsePointer(pointer).reduceRight<Path>(
    (rest, token) => ({ token, rest, isAtEnd: token === '**' && rest.isAtEnd }),
    END,
  )
}

/** The paths that lead through a member or element to masked values below it. */
export function pathsBelow(paths: Paths, token: string): Paths {
  if (paths.length === 0) return paths
  const below = new Set<Path>()
  for (const path of paths) addBelow(path, token, below)
  return [...below]
}

function addBelow(path: Path, token: string, below: Set<Path>): void {
  for (let one: Path | null = path; one?.rest; one = one.rest) {
    // Any number of levels: this one, or none.
    if (one.token === '**') below.add(one)
    else {
      if (one.token === '*' || one.token === token) below.add(one.rest)
      return
    }
  }
}

export function isMaskedHere(paths: Paths): boolean {
  return paths.some(({ isAtEnd }) => isAtEnd)
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
