import type { Destination } from '../domain/destination.ts'
import { valuesIn } from '../domain/masking/shown-url.ts'
import { type CleanText, createSecretCleaner } from '../platform/secret-cleaner.ts'

const cleaners = new WeakMap<Destination, CleanText>()

/** Removes what only the gateway and this destination know from a text of the destination, which may repeat a request. */
export function cleanerFor(destination: Destination): CleanText {
  const known = cleaners.get(destination)
  if (known !== undefined) return known
  const cleanSecrets = createSecretCleaner(secretsOf(destination))
  const clean: CleanText = (text) => cleanSecrets(text).replace(SIGNATURE, 'v1,***')
  cleaners.set(destination, clean)
  return clean
}

/** Of Standard Webhooks; a cut one, too. */
const SIGNATURE = /v1,[A-Za-z0-9+/]{8,44}=?/g

/** Values shorter than this are words such as `production`, and no credentials. */
const SHORTEST = 8

function secretsOf({ secrets, headers, url }: Destination): string[] {
  const values = [...headers.map(([, value]) => value), ...valuesIn(url), ...new URL(url).searchParams.values()]
  // `Bearer abc`: a far side repeats the second part alone, too. The base64 part of a webhook secret is the secret itself.
  const parts = [...values, ...secrets].flatMap((value) => [value, ...value.split(/[\s_=]+/)])
  return parts.filter(({ length }) => length >= SHORTEST)
}
