import type { LoadedBuild } from './builds.ts'
import type { CallOf } from './calls.ts'
import { EXCEPTIONS, type Exception } from './exceptions.ts'

/** Names of body schemas that are not made of the method's name. */
const BODY_NAMES: Readonly<Record<string, string>> = {
  ofConfigUpdate: 'OpenFinanceConfig',
  payConfigWebhook: 'PayWebhook',
  accountConfigWebhook: 'AccountWebhook',
}

/** Schemas that are not named after their method, and the methods whose answer has a type but no schema. */
const SCHEMA_NAMES: Readonly<Record<string, string | null>> = {
  ofConfigUpdate: 'OpenFinanceConfigResponseSchema',
  ofConfigDetail: 'OpenFinanceConfigResponseSchema',
  payDeleteWebhook: null,
  updateAccountConfig: null,
  pixDeleteEvp: null,
}

export interface Verdict {
  /** Methods that were called. */
  readonly methods: string[]
  /** Requests that the client's types do not allow. */
  readonly wrongRequests: string[]
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
    wrongRequests: calls.flatMap((call) => wrongRequestsOf(call, build)),
    unparsed,
    unused: EXCEPTIONS.filter((exception) => !used.has(exception)),
  }
}

/** Exceptions name the members of a list by `*` in place of the index. */
function anyIndex(member: string | null): string | null {
  return member === null ? null : member.replace(/\b\d+\b/g, '*')
}

function isAbout({ method, about, member }: Exception, call: CallOf, differing: string | null): boolean {
  return method === call.method && (about === null || about === call.about) && member === anyIndex(differing)
}

function wrongRequestsOf({ method, about, args }: CallOf, { exported }: LoadedBuild): string[] {
  const name = nameOf(method)
  const schemas = [exported[`${name}ParamsSchema`], exported[`${BODY_NAMES[method] ?? name}BodySchema`]]
  const issues = schemas
    .filter((schema) => schema !== undefined)
    .flatMap((schema, index) => schema.safeParse(args[index]).error?.issues ?? [])
  return issues.map(({ path, message }) => `${method} (${about}): ${path.join('.')}: ${message}`)
}

function nameOf(method: string): string {
  return `${method[0]?.toUpperCase()}${method.slice(1)}`
}

function issuesOf({ method, answer }: CallOf, { exported }: LoadedBuild) {
  const named = SCHEMA_NAMES[method]
  if (named === null) return answer === '' ? [] : [{ path: [], message: 'expected no body' }]
  const name = named ?? `${nameOf(method)}ResponseSchema`
  const schema = exported[name]
  if (schema === undefined) throw new Error(`the client exports no ${name}`)
  return schema.safeParse(answer).error?.issues ?? []
}
