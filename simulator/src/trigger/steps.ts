import { parse } from 'yaml'
import { z } from 'zod'
import { messageOf, SimulatorError } from '../errors.ts'
import { TRIGGER_KINDS } from './fixtures.ts'

/** One callback to send. */
export interface CallbackStep {
  readonly kind: string
  /** null: that of the file. */
  readonly state: string | null
  readonly form: 'json' | 'token'
  readonly settings: readonly string[]
  /** A file whose bytes are the body; null: the fixture. */
  readonly file: string | null
  /** Ids of its own: from here on the steps are about another payment or charge. */
  readonly isNew: boolean
}

export type Step = CallbackStep | { readonly waitMs: number }

const value = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
])
const callback = z.strictObject({
  kind: z.string(),
  state: z.string().optional(),
  form: z.enum(['json', 'token']).optional(),
  set: z.record(z.string(), value).optional(),
  file: z.string().optional(),
  new: z.boolean().optional(),
})
const pause = z.strictObject({ wait: z.string().regex(/^\d+(\.\d+)?(ms|s|m)$/) })
const script = z.array(z.union([callback, pause])).min(1)

const UNITS = { ms: 1, s: 1000, m: 60_000 } as const

/** A sequence of callbacks, YAML or JSON. @throws SimulatorError `request_invalid` */
export function readScript(text: string, file: string): Step[] {
  const read = script.safeParse(parsed(text, file))
  if (!read.success) throw wrong(`--script ${file}: ${problemsOf(read.error)}`)
  return read.data.map((step, at) => {
    if ('wait' in step) return { waitMs: millisecondsOf(step.wait) }
    try {
      return callbackStep({
        kind: step.kind,
        state: step.state,
        form: step.form,
        settings: Object.entries(step.set ?? {}).map(([name, one]) => settingOf(name, one)),
        file: step.file,
        isNew: step.new,
      })
    } catch (error) {
      throw wrong(`--script ${file}, step ${at + 1}: ${messageOf(error)}`)
    }
  })
}

interface GivenStep {
  readonly kind: string
  readonly state?: string | undefined
  readonly form?: 'json' | 'token' | undefined
  readonly settings?: readonly string[] | undefined
  readonly file?: string | undefined
  readonly isNew?: boolean | undefined
}

/** @throws SimulatorError `request_invalid` for an unknown kind or state */
export function callbackStep({ kind, state, form = 'json', settings = [], file, isNew }: GivenStep): CallbackStep {
  const known = Object.hasOwn(TRIGGER_KINDS, kind) ? TRIGGER_KINDS[kind] : undefined
  if (known === undefined) throw wrong(`there is no kind ${kind}: give ${Object.keys(TRIGGER_KINDS).join(', ')}`)
  if (file !== undefined && state !== undefined) throw wrong('a file has its own state: leave the state out')
  const found = known.states.find((one) => one.toLowerCase() === state?.toLowerCase())
  if (state !== undefined && found === undefined)
    throw wrong(`${kind} has no state ${state}: give ${known.states.join(', ')}`)
  if (form === 'token' && (!IN_TOKENS.includes(kind) || file !== undefined))
    throw wrong(`the form token is for ${IN_TOKENS.join(', ')}, without a file`)
  return {
    kind,
    state: file === undefined ? (found ?? (known.states[0] as string)) : null,
    form,
    settings,
    file: file ?? null,
    isNew: isNew === true,
  }
}

/** Document 2: their notifications can be a form that has only a token. */
const IN_TOKENS = ['charge', 'subscription', 'carnet']

function settingOf(name: string, one: z.infer<typeof value>): string {
  return typeof one === 'string' ? `${name}=${one}` : `${name}:=${JSON.stringify(one)}`
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw wrong(`--script ${file} is no YAML: ${messageOf(error)}`)
  }
}

function problemsOf({ issues }: z.ZodError): string {
  const [first] = issues
  const at = typeof first?.path[0] === 'number' ? `step ${first.path[0] + 1}: ` : ''
  return `${at}a list of steps is expected, each with kind (and state, set, file, form, new), or with wait: 500ms, 2s or 1m`
}

function millisecondsOf(text: string): number {
  const [, amount, unit] = /^([\d.]+)(ms|s|m)$/.exec(text) ?? []
  return Number(amount) * UNITS[unit as keyof typeof UNITS]
}

function wrong(message: string): SimulatorError {
  return new SimulatorError('request_invalid', message)
}
