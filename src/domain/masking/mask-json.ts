import { endOfToken, isBetween, isSpace } from '../../platform/json-tokens.ts'
import { HiddenTexts } from './hidden-texts.ts'
import { isMaskedHere, type Paths, type PersonalPaths, pathsBelow } from './personal-paths.ts'

/** In place of every masked value, whatever its type and length: neither the length nor an end of it is shown. */
export const MASK = '***'
const MASK_JSON = JSON.stringify(MASK)

/** Digits of a number that may be a CPF or a phone number. */
const LONG_NUMBER = 8

export interface MaskedText {
  readonly text: string
  readonly hidden: HiddenTexts
}

/**
 * Masks values in JSON text and copies everything else as it was written. Duplicate members are masked alike. Values and names of members elsewhere
 * that repeat a masked text are masked, too.
 * @param text must be JSON. Depth costs no stack
 * @param personal null: every text is masked, every number of at least 8 digits, and every name of a member that looks like a value
 */
export function maskJson(text: string, personal: PersonalPaths | null): MaskedText {
  const hidden = new HiddenTexts()
  const masked = personal === null ? maskTexts(text, hidden) : maskAt(text, personal, hidden)
  if (hidden.isEmpty) return { text: masked, hidden }
  const isRepeated = (token: string) => token !== MASK_JSON && hidden.repeats(textOf(token))
  return { text: rewrite(masked, { name: isRepeated, scalar: isRepeated }), hidden }
}

/** Names of members are shown that look like names. */
const NAME = /^"[A-Za-z_][A-Za-z0-9_-]{0,63}"$/

function maskTexts(text: string, hidden: HiddenTexts): string {
  const hide = (token: string): true => {
    hidden.add(textOf(token))
    return true
  }
  return rewrite(text, {
    name: (token) => !NAME.test(token) && hide(token),
    scalar: (token) => (token.startsWith('"') || digitsIn(token) >= LONG_NUMBER) && hide(token),
  })
}

function digitsIn(number: string): number {
  return number.replaceAll(/\D/g, '').length
}

interface Frame {
  readonly isArray: boolean
  readonly paths: Paths
  index: number
}

function maskAt(text: string, { anywhere, paths }: PersonalPaths, hidden: HiddenTexts): string {
  const frames: Frame[] = []
  /** Of the member whose value follows. */
  let named: Paths = []
  let isNamedAnywhere = false

  function isMasked(here: Paths): boolean {
    return isNamedAnywhere || isMaskedHere(here)
  }

  /** The paths of the value that begins now. */
  function pathsHere(): Paths {
    const frame = frames.at(-1)
    if (frame === undefined) return paths
    return frame.isArray ? pathsBelow(frame.paths, String(frame.index++)) : named
  }

  return rewrite(text, {
    name(token) {
      const name = textOf(token)
      isNamedAnywhere = anywhere.size > 0 && anywhere.has(name.toLowerCase())
      named = pathsBelow(frames.at(-1)?.paths ?? [], name)
      return false
    },
    scalar(token) {
      const isHidden = isMasked(pathsHere()) && token !== 'null'
      isNamedAnywhere = false
      if (isHidden) hidden.add(textOf(token))
      return isHidden
    },
    open(isArray) {
      const here = pathsHere()
      const isHidden = isMasked(here)
      isNamedAnywhere = false
      if (!isHidden) frames.push({ isArray, paths: here, index: 0 })
      return isHidden
    },
    close() {
      frames.pop()
    },
    inside: (token) => hidden.add(textOf(token)),
  })
}

/** The string of a token, or the number as it is written. */
function textOf(token: string): string {
  if (!token.startsWith('"')) return token
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1)
}

/** Decides what is masked. Each function gets a token as it is written. */
interface Rewriting {
  /** Whether to mask the name of a member. */
  name(token: string): boolean
  /** Whether to mask a string, a number, true, false or null. */
  scalar(token: string): boolean
  /** Whether to mask the whole object or array that begins here. */
  open?(isArray: boolean): boolean
  /** The end of an object or array that is not masked. */
  close?(): void
  /** A string or number inside a masked object or array. */
  inside?(token: string): void
}

function rewrite(text: string, decide: Rewriting): string {
  const pieces: string[] = []
  let copied = 0
  /** Open containers inside a masked one, itself included. */
  let depth = 0
  let maskedFrom = 0

  function mask(start: number, end: number): void {
    pieces.push(text.slice(copied, start), MASK_JSON)
    copied = end
  }

  function visit(token: string, start: number, end: number): void {
    if (token === '{' || token === '[') {
      if (depth === 0 && decide.open?.(token === '[') !== true) return
      if (depth === 0) maskedFrom = start
      depth++
    } else if (token === '}' || token === ']') {
      if (depth === 0) decide.close?.()
      else if (--depth === 0) mask(maskedFrom, end)
    } else if (token.startsWith('"') && isName(text, end)) {
      if (depth === 0 && decide.name(token)) mask(start, end)
    } else if (depth > 0) decide.inside?.(token)
    else if (decide.scalar(token)) mask(start, end)
  }

  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at)
    if (!isBetween(text.charCodeAt(at))) visit(text.slice(at, end), at, end)
    at = end
  }
  return pieces.join('') + text.slice(copied)
}

/** Whether a string that ends there is the name of a member. */
function isName(text: string, end: number): boolean {
  let at = end
  while (isSpace(text.charCodeAt(at))) at++
  return text[at] === ':'
}
