import type { Callback } from './callback.ts'

type Json = Record<string, unknown>

/** Several bodies as one: a root array, or an object with one member. A body that is no JSON becomes a string. */
export function mergedBody(callbacks: readonly Pick<Callback, 'body'>[], member: string | null): string {
  const facts = callbacks.map(({ body }) => jsonIn(body) ?? body)
  return JSON.stringify(member === null ? facts : { [member]: facts })
}

/** The body of a repeat: the same identifiers, and other content. A body that is no JSON object comes again unchanged. */
export function repeatedBody(body: string, change: Json | undefined): string {
  const json = jsonIn(body)
  if (!isObject(json)) return body
  return JSON.stringify(merge(json, change ?? otherContent(json)))
}

/** An amount is the content that receivers look at; most of them are texts with two decimals. */
function otherContent({ valor }: Json): Json {
  if (typeof valor === 'string' && /^\d+\.\d{2}$/.test(valor)) return { valor: (Number(valor) + 0.01).toFixed(2) }
  return { repeticao: true }
}

/** JSON merge patch (RFC 7396): null removes a member. */
function merge(target: Json, patch: Json): Json {
  const merged: Json = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else if (isObject(value)) merged[name] = merge(isObject(merged[name]) ? merged[name] : {}, value)
    else merged[name] = value
  }
  return merged
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
