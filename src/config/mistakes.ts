import { z } from 'zod'
import { similarWord, suggestion } from '../platform/suggestion.ts'
import { at } from './section-checks.ts'
import type { Path, YamlSource } from './yaml-source.ts'

/** Messages for structural mistakes; the fields have their own messages. */
export const wordsForIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'is missing'
  if (issue.input === null) return 'has no value: write one, or remove the key'
  return issue.expected === 'array'
    ? 'must be a list: write its entries in [ ], or one a line, each behind "- "'
    : 'must be a group of keys, each with a value'
}

/** One line for each mistake, in the order of the file: `callbacks.port (line 3): must be a whole number from 0 to 65535`. */
export function describeMistakes(issues: readonly z.core.$ZodIssue[], schema: z.ZodType, source: YamlSource): string[] {
  const mistakes = issues.flatMap((issue) => mistakesOf(issue, schema))
  return mistakes
    .filter((mistake) => !isFollowUp(mistake, mistakes, source.value))
    .map(({ path, problem }) => ({ problem, ...source.locate(path) }))
    .sort((one, other) => one.line - other.line)
    .map(({ path, line, problem }) => `${textOfPath(path)} (line ${line}): ${problem}`)
}

interface Mistake {
  readonly path: Path
  readonly problem: string
  /** For an unknown key: the key that was probably meant. */
  readonly meant?: Path | null
}

function mistakesOf(issue: z.core.$ZodIssue, schema: z.ZodType): Mistake[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, problem: issue.message }]
  const known = knownKeys(schema, issue.path)
  return issue.keys.map((key) => {
    const likely = similarWord(key, known)
    return {
      path: [...issue.path, key],
      problem: `unknown key${suggestion(key, known)}`,
      meant: likely === null ? null : [...issue.path, likely],
    }
  })
}

/** A missing key is not reported if it is present with a wrong spelling. */
function isFollowUp({ path }: Mistake, all: readonly Mistake[], written: unknown): boolean {
  const isAbsent = at(written, ...(path as (string | number)[])) === undefined
  return isAbsent && all.some(({ meant }) => meant?.join('\0') === path.join('\0'))
}

/** The keys of the schema at a path. */
function knownKeys(schema: z.ZodType, path: Path): string[] {
  let node: z.core.JSONSchema.BaseSchema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  for (const segment of path) {
    const children =
      typeof segment === 'number' ? node.items : (node.properties?.[String(segment)] ?? node.additionalProperties)
    if (typeof children !== 'object' || Array.isArray(children)) return []
    node = children
  }
  return Object.keys(node.properties ?? {})
}

function textOfPath(path: Path): string {
  if (path.length === 0) return 'the whole file'
  return path.map(textOfSegment).join('').replace(/^\./, '')
}

function textOfSegment(segment: PropertyKey): string {
  if (typeof segment === 'number') return `[${segment}]`
  const name = String(segment)
  // Any other text may be a secret, or a line of a key in a file that is no configuration.
  return /^[A-Za-z][A-Za-z0-9_-]{0,30}$/.test(name) && !name.includes('whsec_') ? `.${name}` : '[…]'
}
