/** Returns the text with `***` in place of every part of a secret. */
export type CleanText = (text: string) => string

/** A part of a secret of at least this length, as it is compared, is found; a shorter secret, and one of exactly this length, as a whole. */
const WINDOW = 12
/** Shorter secrets would be found in ordinary words. */
const SHORTEST = 4
/** The beginning of a secret at the end of a text is found from this length on: `client` ends texts, and begins secrets. */
const BEGINNING = 8

const MASK = '***'

/**
 * Finds the secrets in the texts of a far side: as they are and in other case, as URLs, JSON, HTML, base64 and hexadecimal digits write them, folded at any
 * place, and their parts. Clean a text before it is cut. Time is proportional to the length of the text.
 */
export function createSecretCleaner(secrets: Iterable<string>): CleanText {
  const usable = [...secrets].filter(({ length }) => length >= SHORTEST)
  const forms = new Set(usable.flatMap(formsOf).filter(({ length }) => length >= SHORTEST))
  const windows = new Map<number, Set<string>>()
  const beginnings = new Set<string>()
  for (const form of forms) {
    const length = Math.min(form.length, WINDOW)
    const known = windows.get(length) ?? new Set()
    for (let at = 0; at + length <= form.length; at++) known.add(form.slice(at, at + length))
    windows.set(length, known)
    for (let end = BEGINNING; end < length; end++) beginnings.add(form.slice(0, end))
  }

  /** [start, end] of each part, by start. */
  function partsIn({ text, starts, ends }: Core): [number, number][] {
    const parts: [number, number][] = []
    const found = (from: number, to: number) => parts.push([starts[from] as number, ends[to - 1] as number])
    for (const [length, known] of windows)
      for (let at = 0; at + length <= text.length; at++)
        if (known.has(text.slice(at, at + length))) found(at, at + length)
    for (let length = Math.min(WINDOW - 1, text.length); length >= BEGINNING; length--)
      if (beginnings.has(text.slice(-length))) found(text.length - length, text.length)
    return parts.sort(([a], [b]) => a - b)
  }

  return function clean(text) {
    const parts = partsIn(coreOf(text))
    if (parts.length === 0) return text
    let cleaned = ''
    let end = -1
    for (const [from, to] of parts) {
      if (from > end) cleaned += text.slice(Math.max(end, 0), from) + MASK
      end = Math.max(end, to)
    }
    return cleaned + text.slice(end)
  }
}

/** Cleans of secrets that change. Each is prepared once: a far side chooses its tokens, and a long one takes 0.1 s. */
export function createChangingCleaner() {
  let prepared = new Map<string, CleanText>()
  return {
    clean(text: string, secrets: Iterable<string>): string {
      const inUse = [...new Set(secrets)].map((one) => [one, prepared.get(one) ?? createSecretCleaner([one])] as const)
      prepared = new Map(inUse)
      return inUse.reduce((cleaned, [, clean]) => clean(cleaned), text)
    },
  }
}

/** What is compared: the characters that escapes stand for, in lower case, without those that fold or quote a text. */
interface Core {
  readonly text: string
  /** Where each character begins and ends in the whole text. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Escapes of URLs, HTML, JSON and JavaScript, also escaped more than once. */
const ESCAPE =
  /%(?:25)*([0-9a-f]{2})|&(?:amp;)*(?:#x([0-9a-f]{1,4})|#([0-9]{1,5})|(amp|lt|gt|quot|apos));|\\+(?:(?:u00|x)([0-9a-f]{2})|[rnt])?/iy
const ESCAPING = '%&\\'
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
/** White space, control characters and characters without width; backslashes and quotes; `+` and `-`, which base64, base64url and forms exchange. */
const IGNORED = /[\s\p{Cc}\p{Cf}\\"'+-]/u
const BYTES = Array.from({ length: 256 }, (_, code) => compared(String.fromCharCode(code)))

function coreOf(text: string): Core {
  const [starts, ends]: [number[], number[]] = [[], []]
  let core = ''
  for (let at = 0; at < text.length; ) {
    ESCAPE.lastIndex = at
    const match = ESCAPING.includes(text[at] as string) ? ESCAPE.exec(text) : null
    const end = at + (match?.[0].length ?? 1)
    const written = match === null ? (text[at] as string) : characterOf(match)
    const character = BYTES[written.charCodeAt(0)] ?? compared(written)
    if (character !== '') {
      core += character
      starts.push(at)
      ends.push(end)
    }
    at = end
  }
  return { text: core, starts, ends }
}

/** '' is ignored. */
function compared(character: string): string {
  if (IGNORED.test(character)) return ''
  return character === '_' ? '/' : character.replace(/[A-Z]/, (letter) => letter.toLowerCase())
}

/** Line ends (`\\n`) become a backslash, which is ignored. */
function characterOf([, percent, hexadecimal, decimal, name, json]: RegExpExecArray): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? ''
  if (decimal !== undefined) return String.fromCharCode(Number(decimal))
  const digits = percent ?? hexadecimal ?? json
  return digits === undefined ? '\\' : String.fromCharCode(Number.parseInt(digits, 16))
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // In a text of bytes, each byte is a character.
  const forms = [
    secret,
    bytes.toString('latin1'),
    bytes.toString('hex'),
    ...[0, 1, 2].map((offset) => base64At(secret, offset)),
  ]
  return forms.map((form) => coreOf(form).text)
}

/** The characters of base64 that the secret alone decides, where it begins `offset` bytes behind a group of three. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
  const from = Math.ceil((offset * 8) / 6)
  return bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6))
}
