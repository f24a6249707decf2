import { describedOperations, type OpenApiDocument } from '../documents/described-operations.ts'
import type { Schema } from '../documents/json-schema.ts'
import { SimulatorError } from '../errors.ts'
import { commandNames } from './command-names.ts'

/** A member of the body or a parameter of the query, as an option. */
export interface OperationOption {
  /** As the API names it. */
  readonly name: string
  /** `--hold-seconds`. */
  readonly flag: string
  readonly in: 'query' | 'body'
  readonly isRequired: boolean
  /** Its alternatives: the kinds of a fault have members of the same name. */
  readonly schemas: readonly Schema[]
}

/** One operation of the control API, by its name on the command line. */
export interface Operation {
  /** Operation id in kebab case. */
  readonly name: string
  readonly method: string
  /** With its segments in braces. */
  readonly path: string
  readonly summary: string
  readonly segments: readonly string[]
  readonly options: readonly OperationOption[]
  readonly hasBody: boolean
}

export interface ControlRequest {
  readonly method: string
  /** Behind the address of the control API's server. */
  readonly path: string
  readonly body: unknown
}

/** @param document the OpenAPI document of the control API */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return describedOperations(document).map(({ id, method, path, summary, parameters, body }) => ({
    name: kebab(id),
    method,
    path,
    summary,
    segments: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
    options: [
      ...parameters
        .filter((one) => one.in === 'query')
        .map((one) => optionOf(one.name, 'query', one.required === true, [one.schema])),
      ...(body === null ? [] : membersOf(body.schema)),
    ],
    hasBody: body !== null,
  }))
}

function membersOf(schema: Schema): OperationOption[] {
  const objects = alternativesOf(schema).filter(({ properties }) => properties !== undefined)
  const names = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))
  return [...names].map((name) => {
    const isRequired = objects.every(({ required = [] }) => required.includes(name))
    return optionOf(
      name,
      'body',
      isRequired,
      objects.flatMap(({ properties = {} }) => properties[name] ?? []),
    )
  })
}

function optionOf(
  name: string,
  place: 'query' | 'body',
  isRequired: boolean,
  schemas: readonly Schema[],
): OperationOption {
  const [first] = schemas
  // zod describes a member with a default as required in its output only.
  return { name, flag: `--${kebab(name)}`, in: place, isRequired: isRequired && first?.default === undefined, schemas }
}

function alternativesOf(schema: Schema): Schema[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return parts.length === 0 ? [schema] : parts.flatMap(alternativesOf)
}

function kebab(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/**
 * The request of an operation. Arguments without an option are the segments of its path, in their order, and then a JSON body.
 * @throws SimulatorError `request_invalid`
 */
export function requestOf(operation: Operation, args: readonly string[]): ControlRequest {
  const { positional, given } = split(operation, args)
  const segments = positional.slice(0, operation.segments.length)
  if (segments.length < operation.segments.length)
    throw wrong(operation, `it needs <${operation.segments.slice(segments.length).join('> <')}>`)
  const [body, ...tooMany] = positional.slice(segments.length)
  if (tooMany.length > 0 || (body !== undefined && !operation.hasBody)) throw wrong(operation, 'too many arguments')
  const missing = operation.options.filter((one) => one.isRequired && body === undefined && !given.has(one))
  if (missing.length > 0) throw wrong(operation, `it needs ${missing.map(({ flag }) => flag).join(' and ')}`)
  const inPlace = (place: 'query' | 'body') => [...given].filter(([option]) => option.in === place)
  const query = new URLSearchParams(inPlace('query').map(([{ name }, value]): [string, string] => [name, value]))
  const members = inPlace('body').map(([option, text]) => [option.name, typedValue(option, text)])
  return {
    method: operation.method,
    path: `${pathWith(operation.path, segments)}${query.size === 0 ? '' : `?${query}`}`,
    body: operation.hasBody
      ? { ...(body === undefined ? {} : jsonIn(body)), ...Object.fromEntries(members) }
      : undefined,
  }
}

function split(operation: Operation, args: readonly string[]) {
  const positional: string[] = []
  const given = new Map<OperationOption, string>()
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string
    if (!word.startsWith('--')) {
      positional.push(word)
      continue
    }
    const [flag = '', attached] = word.split(/=(.*)/s)
    const option = operation.options.find((one) => one.flag === flag || `--${one.name}` === flag)
    if (option === undefined) throw wrong(operation, `it has no option ${flag}`)
    const next = args[at + 1]
    const isSwitch = typesOf(option).has('boolean') && (next === undefined || next.startsWith('--'))
    if (attached === undefined && !isSwitch) at++
    const value = attached ?? (isSwitch ? 'true' : next)
    if (value === undefined) throw wrong(operation, `${flag} needs a value`)
    given.set(option, value)
  }
  return { positional, given }
}

function wrong({ name }: Operation, problem: string): SimulatorError {
  return new SimulatorError(
    'request_invalid',
    `${name}: ${problem}; its help: ${commandNames.simulator} ctl ${name} --help`,
  )
}

function pathWith(path: string, segments: readonly string[]): string {
  const values = segments.values()
  return path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(values.next().value ?? ''))
}

/** @throws SimulatorError `request_invalid` */
export function jsonIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The same answer as for another value.
  }
  throw new SimulatorError(
    'request_invalid',
    `the body must be a JSON object, in quotation marks of the shell: '{"by":"36h"}'`,
  )
}

/** A text where the schema takes one; a number, true, false, null, object or array where it takes that. A list may also be written with commas. */
function typedValue(option: OperationOption, text: string): unknown {
  const types = typesOf(option)
  const value = parsed(text)
  if (types.has('array') && !types.has('string') && value === undefined) return text.split(',')
  if (value === undefined || (types.has('string') && typeof value !== 'object')) return text
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return types.size === 0 || types.has(type) || (type === 'number' && types.has('integer')) ? value : text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Empty: any type. */
export function typesOf({ schemas }: OperationOption): ReadonlySet<string> {
  const types = schemas.flatMap(alternativesOf).flatMap(({ type, enum: values, const: only }) => {
    if (type !== undefined) return typeof type === 'string' ? [type] : [...type]
    return (values ?? (only === undefined ? [] : [only])).map((value) => typeof value as string)
  })
  return new Set(types)
}

/** The values that an option takes; empty: any. */
export function valuesOf({ schemas }: OperationOption): string[] {
  const values = schemas
    .flatMap(alternativesOf)
    .flatMap((one) => one.enum ?? (one.const === undefined ? [] : [one.const]))
  return [...new Set(values.map(String))]
}
