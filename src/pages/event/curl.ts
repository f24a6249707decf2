import { isUtf8 } from 'node:buffer'

/** A received callback, as far as it is stored. */
export interface CallbackRequest {
  readonly isTls: boolean
  /** Request target as received. */
  readonly target: string
  /** Names in lower case; values in ISO 8859-1, as Node reads them. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** curl makes them itself. */
const NOT_REPEATED = ['host', 'content-length', 'transfer-encoding']
/** curl would add them. */
const ADDED_BY_CURL = ['accept', 'content-type', 'user-agent']

const HOST = /^[A-Za-z0-9.-]+(?::\d+)?$|^\[[0-9a-f:.]+\](?::\d+)?$/i
/** Targets that curl sends as they are with --path-as-is and --globoff. */
const PLAIN_TARGET = /^\/[\x21\x22\x24-\x7e]*$/

/**
 * A command for a POSIX shell that sends the callback again, byte for byte, without a client certificate.
 * @param bodyFile name of a file with the body, in place of the bytes
 */
export function curlOf({ isTls, target, headers, body }: CallbackRequest, bodyFile: string | null = null): string {
  const host = headers.find(([name, value]) => name === 'host' && HOST.test(value))?.[1] ?? 'localhost'
  const origin = `${isTls ? 'https' : 'http'}://${host}`
  const isPlain = PLAIN_TARGET.test(target)
  const given = headers.filter(([name]) => !NOT_REPEATED.includes(name))
  const left = ADDED_BY_CURL.filter((name) => !given.some(([one]) => one === name))
  const inPipe = bodyFile === null && !isText(body)
  const data = dataOption(body, bodyFile, inPipe)
  const lines = [
    `${inPipe ? `printf ${printfFormat(body)} | ` : ''}curl --globoff --path-as-is${isPlain ? '' : ` --request-target ${word(latin1(target))}`} ${word(latin1(isPlain ? `${origin}${target}` : `${origin}/`))}`,
    ...given.map(([name, value]) => `-H ${word(latin1(value === '' ? `${name};` : `${name}: ${value}`))}`),
    ...left.map((name) => `-H '${name}:'`),
    data,
  ]
  return lines.join(' \\\n  ')
}

function dataOption(body: Uint8Array, bodyFile: string | null, inPipe: boolean): string {
  if (bodyFile !== null) return `--data-binary ${word(Buffer.from(`@${bodyFile}`))}`
  return inPipe ? '--data-binary @-' : `--data-raw ${quoted(Buffer.from(body).toString())}`
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** Characters that a terminal shows and does not act upon, when the command is pasted. */
function isText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u.test(Buffer.from(bytes).toString())
}

/** One word of the shell with these bytes, none of which is NUL. */
function word(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  return /^[\x20-\x7e]*$/.test(text) ? quoted(text) : `"$(printf ${printfFormat(bytes)})"`
}

/** Nothing has a meaning between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** POSIX printf: \ddd is a byte. */
function printfFormat(bytes: Uint8Array): string {
  const characters = [...bytes].map((byte) =>
    /[A-Za-z0-9 .,:;{}"/_=&?@+-]/.test(String.fromCharCode(byte)) && byte < 0x80
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, '0')}`,
  )
  // A format that begins with "-" would be an option.
  return `'${characters.join('').replace(/^-/, '\\055')}'`
}
