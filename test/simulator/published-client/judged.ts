import type { LoadedBuild } from './builds.ts'
import type { CallOf } from './calls.ts'
import { EXCEPTIONS, type Exception } from './exceptions.ts'

/** Schemas that are not named after their method, and the methods whose answer has a type but no schema. */
const SCHEMA_NAMES: Readonly<Record<string, string | null>> = {
  ofConfigUpdate: 'OpenFinanceConfigResponseSchema',
  ofConfigDetail: 'OpenFinanceConfigResponseSchema',
  payDeleteWebhook: null,
}

export interface Verdict {
  /** Methods that were called. */
  readonly methods: string[]
  /** Answers that their schema does not parse and that no exception covers: which, where and why. */
  readonly unparsed: string[]
  /** Exceptions that no answer needs any longer. */
  readonly unused: readonly Exception[]
}

/** Compares the answers with the schemas that the client exports for them. */
export function judgeAnswers(calls: readonly CallOf[], build: LoadedBuild): Verdict {
  const used = new Set<Exception>()
  const unparsed: string[] = []
  for (const call of calls)
    for (const { path, message } of issuesOf(call, build)) {
      const member = path.length === 0 ? null : path.join('.')
      const exception = EXCEPTIONS.find((one) => isAbout(one, call, member))
      if (exception === undefined) unparsed.push(`${call.method} (${call.about}): ${member}: ${message}`)
      else used.add(exception)
    }
  return {
    methods: [...new Set(calls.map(({ method }) => method))].sort(),
    unparsed,
    unused: EXCEPTIONS.filter((exception) => !used.has(exception)),
  }
}

function isAbout({ method, about, member }: Exception, call: CallOf, differing: string | null): boolean {
  return method === call.method && (about === null || about === call.about) && member === differing
}

function issuesOf({ method, answer }: CallOf, { exported }: LoadedBuild) {
  const named = SCHEMA_NAMES[method]
  if (named === null) return answer === '' ? [] : [{ path: [], message: 'expected no body' }]
  const name = named ?? `${method[0]?.toUpperCase()}${method.slice(1)}ResponseSchema`
  const schema = exported[name]
  if (schema === undefined) throw new Error(`the client exports no ${name}`)
  return schema.safeParse(answer).error?.issues ?? []
}
