/** Reads the values of JSON text without parsing it, because numbers must be found as they were written, and duplicate names all count. */

/** Receives the values in their order. Returning false ends the scan. */
export interface ValueSink {
  text(value: string): boolean
  /** Numbers, and whatever a text that is no JSON has in their place; not true, false and null. */
  bare(written: string): boolean
  /** A string or number of an excluded member. */
  excluded(value: string): void
}

/** Reference tokens of pointers; `*` is any member or element. */
export type ExcludedPaths = readonly (readonly string[])[]

interface Frame {
  readonly isArray: boolean
  /** Paths that lead through this container, and how many of their tokens it took to come here. */
  readonly paths: ExcludedPaths
  index: number
}

const NOTHING: ExcludedPaths = []
const BARE_END = /[\s,:{}[\]"]/g

/**
 * Scans JSON. Other text gives what looks like values; with excluded paths the caller must have made sure that it is JSON.
 * Depth costs no stack, and memory only as deep as the excluded paths are.
 */
export function scanJson(text: string, excluded: ExcludedPaths, sink: ValueSink): void {
  /** Containers that excluded paths lead through. */
  const frames: Frame[] = []
  /** Open containers inside the last frame, or inside nothing, that no path leads through. */
  let others = 0
  /** The same, inside an excluded value. */
  let hidden = 0
  /** Paths that lead to the next value, by the name before it. */
  let named: ExcludedPaths | null = null

  /** The paths that lead to the value that begins here. */
  function pathsHere(): ExcludedPaths {
    if (others > 0 || hidden > 0) return NOTHING
    const frame = frames.at(-1)
    if (frame === undefined) return excluded
    if (!frame.isArray) return named ?? NOTHING
    return next(frame, String(frame.index))
  }

  function next({ paths }: Frame, token: string): ExcludedPaths {
    const depth = frames.length - 1
    return paths.filter((path) => path[depth] === token || path[depth] === '*')
  }

  function isExcluded(paths: ExcludedPaths): boolean {
    return hidden > 0 || (paths.length > 0 && paths.some((path) => path.length === frames.length))
  }

  function open(isArray: boolean): void {
    const paths = pathsHere()
    if (isExcluded(paths)) hidden++
    else if (paths.length === 0) others++
    else frames.push({ isArray, paths, index: 0 })
    named = null
  }

  function close(): void {
    if (hidden > 0) hidden--
    else if (others > 0) others--
    else frames.pop()
  }

  function scalar(value: string, isText: boolean): boolean {
    const hide = isExcluded(pathsHere())
    named = null
    if (!hide) return isText ? sink.text(value) : sink.bare(value)
    sink.excluded(value)
    return true
  }

  function isName(after: number): boolean {
    let next = after
    while (text.charCodeAt(next) <= 0x20) next++
    return text.charCodeAt(next) === 0x3a
  }

  /** Where the scan is: it only moves on. */
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      const end = endOfString(text, at)
      if (isName(end)) {
        const frame = frames.at(-1)
        if (frame !== undefined && others === 0 && hidden === 0) named = next(frame, stringAt(text, at, end))
      } else if (!scalar(stringAt(text, at, end), true)) return
      at = end
    } else if (code === 0x7b || code === 0x5b) {
      open(code === 0x5b)
      at++
    } else if (code === 0x7d || code === 0x5d) {
      close()
      at++
    } else if (code === 0x2c) {
      const frame = frames.at(-1)
      if (frame !== undefined && others === 0 && hidden === 0) frame.index++
      at++
    } else if (code === 0x3a || code <= 0x20) at++
    else {
      BARE_END.lastIndex = at + 1
      const end = BARE_END.exec(text)?.index ?? text.length
      const written = text.slice(at, end)
      if (isName(end)) named = null
      else if (written === 'true' || written === 'false' || written === 'null') named = null
      else if (!scalar(written, false)) return
      at = end
    }
  }
}

/** The exclusive end of the string that begins at `at`. */
function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1)
  while (end !== -1) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end + 1
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

function stringAt(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, text.charCodeAt(end - 1) === 0x22 && end > start + 1 ? end - 1 : end)
  if (!inner.includes('\\')) return inner
  try {
    return JSON.parse(text.slice(start, end)) as string
  } catch {
    // Not JSON: what was written is the value.
    return inner
  }
}
