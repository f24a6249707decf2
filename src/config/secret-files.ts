import { AUTHORITIES_LIMIT, problemOfAuthorities } from '../domain/destination-rules.ts'
import { isSecret, SECRET_FORM } from '../domain/webhook-secret.ts'
import { readRegularFile, UnreadableFile } from '../platform/regular-file.ts'
import type { Reading } from '../platform/units.ts'
import { field, text } from './fields.ts'
import { isCredential, placeOf, problemOfPlace } from './place.ts'

const MAX_FILE_BYTES = 16_384

/** Fields with paths of files, relative to the folder of the configuration. */
export interface FileFields {
  readonly path: (expected: string) => ReturnType<typeof pathField>
  readonly token: ReturnType<typeof tokenField>
  readonly secrets: ReturnType<typeof secretsField>
  readonly authorities: ReturnType<typeof authoritiesField>
}

export function fileFields(directory: string): FileFields {
  return {
    path: (expected) => pathField(directory, expected),
    token: tokenField(directory),
    secrets: secretsField(directory),
    authorities: authoritiesField(directory),
  }
}

/** A Standard Webhooks secret: `whsec_` and base64 of 24 to 64 bytes. */
export const secret = text('a secret such as whsec_…', (value) => (isSecret(value) ? null : `must be ${HOW_TO_MAKE}`))

const HOW_TO_MAKE = `${SECRET_FORM}: make one with \`echo whsec_$(openssl rand -base64 32)\``

function pathField(directory: string, expected: string) {
  return text(expected, problemOfPlace).transform((path) => placeOf(directory, path))
}

/** The token in the file, at least 128 bits. */
function tokenField(directory: string) {
  return field<string>('the path of a file with a token', (value) => {
    const content = readSmallFile(directory, value)
    if ('problem' in content) return content
    const minimum = /^[0-9a-f]*$/i.test(content.value) ? 32 : 22
    if (/^[A-Za-z0-9_-]+$/.test(content.value) && content.value.length >= minimum) return content
    return {
      problem:
        'its file must hold one token that cannot be guessed, at least 128 bits: create one with `openssl rand -hex 32`',
    }
  })
}

/** The secrets in the file, one per line: all of them sign, so that the later ones can be rotated out. */
function secretsField(directory: string) {
  return field<string[]>('the path of a file with a secret', (value) => {
    const content = readSmallFile(directory, value)
    if ('problem' in content) return content
    const secrets = content.value.split(/\s+/)
    return secrets.every(isSecret) ? { value: secrets } : { problem: `its file must hold ${HOW_TO_MAKE}` }
  })
}

/** The path of the file and its PEM content. */
function authoritiesField(directory: string) {
  return field<{ file: string; pem: string }>('the path of a PEM file', (value) => {
    const content = readAuthorities(directory, value)
    return 'problem' in content ? content : { value: { file: placeOf(directory, String(value)), pem: content.value } }
  })
}

/** The PEM of the CAs of a destination. */
export function readAuthorities(directory: string, path: unknown): Reading<string> {
  const content = readSmallFile(directory, path, AUTHORITIES_LIMIT)
  if ('problem' in content) return content
  const problem = problemOfAuthorities(content.value)
  return problem === null ? content : { problem: `its file ${problem}` }
}

/** Messages do not repeat the path: the secret itself may have been written in its place. */
function readSmallFile(directory: string, path: unknown, maxBytes = MAX_FILE_BYTES): Reading<string> {
  if (typeof path !== 'string') return { problem: 'must be the path of a file' }
  const flaw = problemOfPlace(path)
  if (flaw !== null) return { problem: flaw }
  const file = placeOf(directory, path)
  try {
    return { value: readRegularFile(file, maxBytes).toString('utf8').trim() }
  } catch (error) {
    if (error instanceof UnreadableFile)
      return {
        problem:
          error.code === 'EFBIG'
            ? 'names a file that is too long: it must hold nothing but what this key needs'
            : `does not name a file: it ${error.message}`,
      }
    const where = isCredential(path) ? CREDENTIAL_ADVICE : `relative paths begin at ${directory}`
    return { problem: `names a file that cannot be read: ${reasonOf(error)} (${where})` }
  }
}

const CREDENTIAL_ADVICE =
  'a credential needs LoadCredential= in the unit, and outside it is only there while portaria.service runs, for its user and root'

/** Why a file could not be read, and what to do. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it does not exist: create it or correct the path'
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it: change its owner or its mode'
  return error instanceof UnreadableFile ? `it ${error.message}` : code
}
