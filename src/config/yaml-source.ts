import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type YAMLError } from 'yaml'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { readArgumentFile, UnreadableFile } from '../platform/regular-file.ts'
import { copiedCharactersIn } from './copied-characters.ts'
import { reasonOf } from './secret-files.ts'

const MAX_FILE_BYTES = 4 * 1024 * 1024
const MAX_ALIASES = 100

export type Path = readonly PropertyKey[]

/** A configuration file as plain data, with the lines of its values. */
export interface YamlSource {
  readonly value: unknown
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string
  /** The longest existing part of the path, and its line. */
  locate(path: Path): { readonly path: Path; readonly line: number }
  /** See `copiedCharactersIn`: the cause of other mistakes. */
  copiedCharacters(): readonly string[]
}

/** @throws PortariaError `configuration_invalid` if it cannot be read or is not YAML; messages never quote the file, which may hold secrets */
export function readYaml(file: string): YamlSource {
  const bytes = readBytes(file)
  const text = textOf(file, bytes)
  const lines = new LineCounter()
  const document = parse(file, text, lines)
  return {
    value: toPlainData(file, document),
    sha256: hashOf(bytes),
    locate: (path) => locate(document, lines, path),
    copiedCharacters: () => copiedCharactersIn(text),
  }
}

/** @throws PortariaError `configuration_invalid` if it cannot be read */
export function hashOfFile(file: string): string {
  return hashOf(readBytes(file))
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function textOf(file: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalid(`the configuration file ${file} is not UTF-8 text: save it as UTF-8`)
  return bytes.toString('utf8')
}

function readBytes(file: string): Buffer {
  try {
    return readArgumentFile(file, MAX_FILE_BYTES)
  } catch (error) {
    if (error instanceof UnreadableFile && error.code === 'EFBIG')
      throw invalid(`the configuration file ${file} is longer than 4 MiB: is it the right file?`)
    throw invalid(
      `the configuration file ${file} cannot be read: ${reasonOf(error)}; --config FILE or PORTARIA_CONFIG names it, config/portaria.yaml explains every key`,
    )
  }
}

function parse(file: string, text: string, lineCounter: LineCounter): Document.Parsed {
  const options = { lineCounter, prettyErrors: false, stringKeys: true, schema: 'core' } as const
  const document = parseOrThrow(file, text, options)
  // Warnings are about unknown tags: only plain data is allowed.
  const problems = [...document.errors, ...document.warnings]
  const details = problems.map((problem) => `line ${lineCounter.linePos(problem.pos[0]).line}: ${wordsFor(problem)}`)
  if (hasPrototypeKey(document)) details.push('the key "__proto__" is not allowed: remove it')
  if (details.length === 0) return document
  const copied = copiedCharactersIn(text)
  throw invalid(`the configuration file ${file} is not valid YAML: correct these lines`, {
    details: copied.length > 0 ? copied : details,
  })
}

function parseOrThrow(file: string, text: string, options: Parameters<typeof parseDocument>[1]): Document.Parsed {
  try {
    return parseDocument(text, options)
  } catch (error) {
    // For example, nesting deeper than the stack.
    throw invalid(`the configuration file ${file} cannot be read as YAML: make it simpler`, { cause: error })
  }
}

function toPlainData(file: string, document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    throw invalid(
      `the configuration file ${file} cannot be read: ${withoutQuotes(messageOf(error))}; ` +
        'write it without anchors (&) and aliases (*), or put values that begin so into quotes',
    )
  }
}

/** The schema would silently ignore this key. */
function hasPrototypeKey(document: Document.Parsed): boolean {
  let isFound = false
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value === '__proto__') isFound = true
    },
  })
  return isFound
}

function wordsFor(problem: YAMLError): string {
  if (problem.code === 'BAD_DIRECTIVE') return 'a value cannot begin with %: put it into quotes'
  if (problem.code === 'BAD_DQ_ESCAPE')
    return 'a backslash in double quotes begins an escape sequence: use single quotes'
  if (problem.code === 'DUPLICATE_KEY') return 'this key is there twice: keep one of them'
  if (problem.code === 'TAB_AS_INDENT') return 'a tab is used to indent: use spaces'
  if (problem.code === 'MULTIPLE_DOCS') return 'a second document begins (---): keep one'
  if (problem.code === 'TAG_RESOLVE_FAILED') return 'tags (!…) are not allowed: write plain values'
  return withoutQuotes(problem.message)
}

/** The text after a colon quotes the file. */
function withoutQuotes(message: string): string {
  return message.replace(/:? *(["'`].*|:.*)$/s, '')
}

function locate(document: Document.Parsed, lines: LineCounter, path: Path): { path: Path; line: number } {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
  for (const [index, segment] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document)
    // One value may stand for a list of one element; both have the same line.
    if (isScalar(node)) return { path: path.slice(0, index), line: lines.linePos(offset).line }
    const next = childOf(node, segment)
    if (next === null) break
    offset = next.offset ?? offset
    node = next.node
  }
  return { path, line: lines.linePos(offset).line }
}

function childOf(node: unknown, segment: PropertyKey): { node: unknown; offset: number | undefined } | null {
  if (isSeq(node) && typeof segment === 'number') {
    const item = node.items[segment]
    return item === undefined ? null : { node: item, offset: startOf(item) }
  }
  if (!isMap(node)) return null
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === segment)
  return pair === undefined ? null : { node: pair.value, offset: startOf(pair.key) }
}

function startOf(node: unknown): number | undefined {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? node.range[0]
    : undefined
}

function invalid(message: string, options?: { cause?: unknown; details?: string[] }): PortariaError {
  return new PortariaError('configuration_invalid', message, options)
}
