import { AUTHORITIES_LIMIT, problemOfAuthorities } from '../domain/destination-rules.ts'
import { isSecret, SECRET_FORM } from '../domain/secrets/webhook-secret.ts'
import { decodedText } from '../platform/decoded-text.ts'
import { isPermissionError, permissionAdvice } from '../platform/permission.ts'
import { readRegularFile, UnreadableFile } from '../platform/regular-file.ts'
import type { Reading } from '../platform/units.ts'
import { field, text } from './fields.ts'
import {
  adviceForMissing,
  isCredentialFile,
  isMissingCredential,
  isWithoutService,
  placeOf,
  problemOfPlace,
} from './place.ts'

const MAX_FILE_BYTES = 16_384

/** Fields with paths of files, relative to the folder of the configuration. */
export interface FileFields {
  readonly path: (expected: string) => ReturnType<typeof pathField>
  readonly token: ReturnType<typeof tokenField>
  readonly secrets: ReturnType<typeof secretsField>
  readonly authorities: ReturnType<typeof authoritiesField>
  readonly clientSecret: ReturnType<typeof clientSecretField>
  readonly providerSecret: ReturnType<typeof clientSecretField>
  readonly password: ReturnType<typeof passwordField>
}

/**
 * Which files with secrets are read: a secret that is read and cannot be used is a mistake. `loaded secrets`: all but the credentials of a service
 * that does not run. `usable secrets`: what cannot be used is left out without being a mistake.
 */
export type SecretReading = 'secrets too' | 'loaded secrets' | 'usable secrets' | 'no secrets'

export function fileFields(directory: string, reading: SecretReading): FileFields {
  const isRead = (file: string) =>
    reading === 'secrets too' || (reading === 'loaded secrets' && !isWithoutService(file))
  return {
    path: (expected) => pathField(directory, expected, isRead),
    token: tokenField(directory, isRead),
    secrets: secretsField(directory, isRead),
    authorities: authoritiesField(directory, reading !== 'no secrets'),
    clientSecret: clientSecretField(directory, (file) =>
      reading === 'usable secrets' ? 'value' in readClientSecret(directory, file) : isRead(file),
    ),
    providerSecret: clientSecretField(directory, isRead, 'the OpenID provider'),
    password: passwordField(directory, isRead),
  }
}

type IsRead = (file: string) => boolean

/** A Standard Webhooks secret: `whsec_` and base64 of 24 to 64 bytes. */
export const secret = text('a secret such as whsec_…', (value) => (isSecret(value) ? null : `must be ${HOW_TO_MAKE}`))

const HOW_TO_MAKE = `${SECRET_FORM}: make one with \`echo whsec_$(openssl rand -base64 32)\``

/** A credential must be loaded where secrets are read; other files may be created later. */
function pathField(directory: string, expected: string, isRead: IsRead) {
  return text(expected, (path) => {
    const place = readPlace(directory, path)
    if ('problem' in place) return place.problem
    const isMissing = isMissingCredential(place.value) && isRead(place.value)
    return isMissing ? notLoaded(place.value) : null
  }).transform((path) => placeOf(directory, path))
}

function notLoaded(credential: string): string {
  return `names a credential that is not loaded: ${adviceForMissing(credential)}`
}

/** The token in the file, at least 128 bits; the path in its place where the file is not read. */
function tokenField(directory: string, isRead: IsRead) {
  return field<string>('the path of a file with a token', (value) => {
    const place = readPlace(directory, value)
    if ('problem' in place || !isRead(place.value)) return place
    return readToken(directory, value)
  })
}

/** The token in a file that the configuration names. */
export function readToken(directory: string, path: unknown): Reading<string> {
  const content = readSmallFile(directory, path)
  if ('problem' in content) return content
  const minimum = /^[0-9a-f]*$/i.test(content.value) ? 32 : 22
  if (/^[A-Za-z0-9_-]+$/.test(content.value) && content.value.length >= minimum) return content
  return {
    problem:
      'its file must hold one token that cannot be guessed, at least 128 bits: create one with `openssl rand -hex 32`',
  }
}

/** The secrets in the file, one per line: all of them sign, so that the later ones can be rotated out. None where the file is not read. */
function secretsField(directory: string, isRead: IsRead) {
  return field<string[]>('the path of a file with a secret', (value) => {
    const place = readPlace(directory, value)
    if ('problem' in place) return place
    if (!isRead(place.value)) return { value: [] }
    const content = readSmallFile(directory, value)
    if ('problem' in content) return content
    const secrets = content.value.split(/\s+/)
    return secrets.every(isSecret) ? { value: secrets } : { problem: `its file must hold ${HOW_TO_MAKE}` }
  })
}

/** The file and the secret that the service issued, which is its only line; null where the file is not read. */
function clientSecretField(directory: string, isRead: IsRead, issuer = 'the service') {
  return field<{ file: string; secret: string | null }>(
    `the path of a file with the client secret that ${issuer} issued`,
    (value) => {
      const place = readPlace(directory, value)
      if ('problem' in place) return place
      if (!isRead(place.value)) return { value: { file: place.value, secret: null } }
      const secret = readClientSecret(directory, value, issuer)
      return 'problem' in secret ? secret : { value: { file: place.value, secret: secret.value } }
    },
  )
}

/** The client secret in the file of an entry of the section `service`, or of `api.oidc`. */
export function readClientSecret(directory: string, path: unknown, issuer = 'the service'): Reading<string> {
  const content = readSmallFile(directory, path)
  if ('problem' in content || /^[!-~]+$/.test(content.value)) return content
  return { problem: `its file must hold the client secret that ${issuer} issued, in one line without spaces` }
}

/** The path of the file, which is read again at each connection. */
function passwordField(directory: string, isRead: IsRead) {
  return field<string>('the path of a file with the password of the PostgreSQL user', (value) => {
    const place = readPlace(directory, value)
    if ('problem' in place || !isRead(place.value)) return place
    const content = readSmallFile(directory, value)
    if ('problem' in content) return content
    return content.value === '' ? { problem: 'its file must hold the password, and is empty' } : place
  })
}

/** The path of the file and its PEM content; null if it cannot be used and `isRequired` is false. */
function authoritiesField(directory: string, isRequired: boolean) {
  return field<{ file: string; pem: string | null }>('the path of a PEM file', (value) => {
    const place = readPlace(directory, value)
    if ('problem' in place) return place
    const content = readAuthorities(directory, value)
    if ('problem' in content && isRequired) return content
    return { value: { file: place.value, pem: 'value' in content ? content.value : null } }
  })
}

/** The PEM of the CAs of a destination. */
export function readAuthorities(directory: string, path: unknown): Reading<string> {
  const content = readSmallFile(directory, path, AUTHORITIES_LIMIT)
  if ('problem' in content) return content
  // As from a variable or a JSON text, where a line break is two characters.
  const pem = content.value.replaceAll(/\\+[rn]/g, '\n')
  const problem = problemOfAuthorities(pem)
  return problem === null ? { value: pem } : { problem: `its file ${problem}` }
}

function readPlace(directory: string, path: unknown): Reading<string> {
  if (typeof path !== 'string') return { problem: 'must be the path of a file' }
  const problem = problemOfPlace(path)
  return problem === null ? { value: placeOf(directory, path) } : { problem }
}

/** Messages do not repeat the path: the secret itself may have been written in its place. */
function readSmallFile(directory: string, path: unknown, maxBytes = MAX_FILE_BYTES): Reading<string> {
  const place = readPlace(directory, path)
  if ('problem' in place) return place
  const file = place.value
  try {
    return { value: decodedText(readRegularFile(file, maxBytes)).trim() }
  } catch (error) {
    if (error instanceof UnreadableFile)
      return {
        problem:
          error.code === 'EFBIG'
            ? 'names a file that is too long: it must hold nothing but what this key needs'
            : `does not name a file: it ${error.message}`,
      }
    if (isCredentialFile(file) && isAbsent(error)) return { problem: notLoaded(file) }
    const where = isCredentialFile(file) ? '' : ` (relative paths begin at ${directory})`
    return { problem: `names a file that cannot be read: ${reasonOf(error)}${where}` }
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

/** Why a file could not be read, and what to do. @param file where it may be the file of a credential */
export function reasonOf(error: unknown, file?: string): string {
  if (file !== undefined && isCredentialFile(file) && isAbsent(error)) return adviceForMissing(file)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  if (isAbsent(error)) return 'it does not exist: create it or correct the path'
  if (isPermissionError(error)) return `this user may not read it: ${permissionAdvice()}`
  return error instanceof UnreadableFile ? `it ${error.message}` : code
}
