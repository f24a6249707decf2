import { messageOf, SimulatorError } from '../errors.ts'

type Parent = Record<string, unknown>

/**
 * The body with members set: `status.atual=CANCELADO`, `pix.0.valor=10.00`, `extra:={"a":1}`. Behind `=` is a text, which becomes a number or a truth
 * value where the member has one; behind `:=` is JSON. A missing member is added.
 * @param onAdded a text about each member that was missing: it may be misspelt
 * @throws SimulatorError `request_invalid`
 */
export function withMembers(body: unknown, settings: readonly string[], onAdded?: (text: string) => void): unknown {
  const changed = structuredClone(body)
  for (const setting of settings) {
    const missing = noteOn(changed, setting)
    setMember(changed, setting)
    if (missing !== null) onAdded?.(missing)
  }
  return changed
}

/** null: the body has the member, or the setting cannot be used. */
function noteOn(body: unknown, setting: string): string | null {
  const [path = ''] = setting.split(/:?=/)
  let outer = body
  const passed: string[] = []
  for (const name of path.split('.')) {
    if (!isParent(outer)) return null
    if (!Object.hasOwn(outer, name)) return `--set ${setting} adds ${path}: ${whatHas(passed, outer)}`
    passed.push(name)
    outer = outer[name]
  }
  return null
}

function whatHas(path: readonly string[], outer: Parent): string {
  const name = path.length === 0 ? 'the body' : path.join('.')
  const names = Object.keys(outer)
  return names.length === 0 ? `${name} is empty` : `${name} has ${names.join(', ')}`
}

function setMember(body: unknown, setting: string): void {
  const [, path, operator, text] = /^([^=]+?)(:?=)([\s\S]*)$/.exec(setting) ?? []
  if (path === undefined || text === undefined)
    throw wrong(setting, 'give MEMBER=VALUE, such as status.atual=CANCELADO, or MEMBER:=JSON')
  const names = path.split('.')
  const last = names.pop() as string
  const parent = names.reduce<unknown>((inner, name) => innerOf(inner, name, setting), body)
  if (!isParent(parent)) throw wrong(setting, `the body has no object or array in which ${last} could be`)
  if (Array.isArray(parent) && !/^\d{1,4}$/.test(last))
    throw wrong(setting, `${last} is no place in an array: give a number from 0`)
  // A plain assignment would set the prototype.
  const value = operator === ':=' ? jsonOf(text, setting) : valueLike(parent[last], text, setting)
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true })
}

function innerOf(outer: unknown, name: string, setting: string): unknown {
  if (!isParent(outer)) throw wrong(setting, `the body has no object or array around ${name}`)
  if (!Object.hasOwn(outer, name)) {
    if (Array.isArray(outer)) throw wrong(setting, `the array has no place ${name}`)
    Object.defineProperty(outer, name, { value: {}, enumerable: true, configurable: true, writable: true })
  }
  return outer[name]
}

function isParent(value: unknown): value is Parent {
  return typeof value === 'object' && value !== null
}

function valueLike(present: unknown, text: string, setting: string): unknown {
  if (typeof present !== 'number' && typeof present !== 'boolean') return text
  const value = jsonOf(text, setting)
  if (typeof value === typeof present) return value
  throw wrong(setting, `the member is a ${typeof present}: give one, or a text as MEMBER:="TEXT"`)
}

function jsonOf(text: string, setting: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw wrong(setting, `its value is no JSON (${messageOf(error)}): give a text as MEMBER=TEXT`)
  }
}

function wrong(setting: string, why: string): SimulatorError {
  return new SimulatorError('request_invalid', `--set ${setting}: ${why}`)
}
