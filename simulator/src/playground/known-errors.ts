import type { Operation } from './operations.ts'
import { TOKEN } from './operations.ts'
import { packageFile } from '../messages/program-files.ts'

/** A row of simulator/docs/service-errors.md. */
export interface KnownError {
  /** `1:22`, method and path, or the interfaces that it is about. */
  readonly who: string
  readonly status: number
  readonly code: string
  readonly when: string
  /** What the setting `errors: strict` answers instead; '' where that is the same. */
  readonly strict: string
}

let rows: readonly KnownError[] | undefined

/** The table of codes, without that of the gateway's own copies. */
export function knownErrors(): readonly KnownError[] {
  const [text = ''] = packageFile('docs/service-errors.md').split("\n## The gateway's own copies")
  rows ??= [...text.matchAll(/^\| ([^|]+) \| (\d{3}) \| `([^|]+)` \| (.+?) \|([^|]*)\|$/gm)].map(
    ([, who = '', status, code = '', when = '', strict = '']) => ({
      who: who.replaceAll('`', ''),
      status: Number(status),
      code,
      when,
      strict: strict.replaceAll('`', '').trim(),
    }),
  )
  return rows
}

/** What an endpoint can refuse: its own errors, then those of every endpoint. */
export function errorsOf({ on, id, number, method, path }: Operation): readonly KnownError[] {
  const own = number ?? (id === TOKEN ? TOKEN : `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
  const every = on === 'charges' ? on : 'Document 1'
  return [own, ...(id === TOKEN ? [] : [every])].flatMap((name) => knownErrors().filter(({ who }) => who === name))
}

/** The row of a refusal. Undefined: the table has none. */
export function explain(operation: Operation, status: number, text: string): KnownError | undefined {
  const code = codeIn(text)
  const possible = errorsOf(operation)
  return (
    possible.find((row) => row.status === status && row.code === code) ??
    possible.find(({ strict }) => strict === `${status} ${code}`)
  )
}

/** The code of a refusal, in each of its forms; '' where it has none. */
function codeIn(text: string): string {
  try {
    const { nome, code, error, type, erro, mensagem } = JSON.parse(text) as Record<string, unknown>
    if (nome !== undefined) return String(nome)
    if (code !== undefined) return `${code} ${error}`
    if (error !== undefined) return String(error)
    if (type !== undefined) return String(type).split('/').at(-1) ?? ''
    if (erro !== undefined) return 'erro'
    return mensagem === undefined ? '' : 'mensagem'
  } catch {
    return ''
  }
}
