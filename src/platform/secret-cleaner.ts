/** Returns the text with `***` in place of every part of a secret. */
export type CleanText = (text: string) => string

/** A part of a secret of at least this length is found; a shorter secret, and one of exactly this length, as a whole. */
const WINDOW = 16
/** Shorter secrets would be found in ordinary words. */
const SHORTEST = 4
/** The beginning of a secret at the end of a text is found from this length on: `client` ends texts, and begins secrets. */
const BEGINNING = 8

const MASK = '***'

/**
 * Finds the secrets in the texts of a far side: as they are and in other case, as URLs, JSON, HTML and base64 write them, and their parts, because a
 * far side may cut or fold what it repeats. Clean a text before it is cut. Time is proportional to the length of the text.
 */
export function createSecretCleaner(secrets: Iterable<string>): CleanText {
  const forms = new Set([...secrets].filter(({ length }) => length >= SHORTEST).flatMap(formsOf))
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
  function partsIn(text: string): [number, number][] {
    const parts: [number, number][] = []
    for (const [length, known] of windows)
      for (let at = 0; at + length <= text.length; at++)
        if (known.has(text.slice(at, at + length))) parts.push([at, at + length])
    for (let length = Math.min(WINDOW - 1, text.length); length >= BEGINNING; length--)
      if (beginnings.has(text.slice(-length))) parts.push([text.length - length, text.length])
    return parts.sort(([a], [b]) => a - b)
  }

  return function clean(text) {
    const parts = partsIn(comparable(text))
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

/** Of the same length: base64 and base64url, capitals and small letters are the same. */
function comparable(text: string): string {
  return text.replace(/[A-Z_-]/g, (character) => SAME[character] ?? character.toLowerCase())
}
const SAME: Readonly<Record<string, string>> = { '-': '+', _: '/' }

function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = [secret, encodeURIComponent(secret.toWellFormed()), json, json.replaceAll('/', '\\/'), htmlOf(secret)]
  return [...forms, ...[0, 1, 2].map((offset) => base64At(secret, offset))].map(comparable)
}

function htmlOf(secret: string): string {
  return secret.replace(/[&<>"']/g, (character) => HTML[character] ?? character)
}
const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The characters of base64 that the secret alone decides, where it begins `offset` bytes behind a group of three. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
  const from = Math.ceil((offset * 8) / 6)
  return bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6))
}
