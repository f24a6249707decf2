/** Reads values from `JSON.parse`. */

/** The value at the reference tokens of a JSON Pointer (RFC 6901), or undefined. */
export function valueAt(value: unknown, tokens: readonly string[]): unknown {
  let found: unknown = value
  for (const token of tokens) {
    if (typeof found !== 'object' || found === null) return undefined
    if (Array.isArray(found)) {
      if (!/^(0|[1-9][0-9]{0,8})$/.test(token)) return undefined
      found = found[Number(token)]
    } else if (Object.hasOwn(found, token)) found = (found as Record<string, unknown>)[token]
    else return undefined
  }
  return found
}

/** Whether arrays and objects are nested deeper than the limit; a scalar has depth 0. Stops there, so that depth costs no stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const member of members) {
    if (typeof member === 'object' && isDeeperThan(member, levels - 1)) return true
  }
  return false
}
