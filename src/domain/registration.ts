import type { Destination, DestinationSettings } from './destination.ts'

/** Kinds of callbacks that apps register for through the service API (Document 1, endpoints 18 to 24). */
export type RegisteredKind = 'registration' | 'payment'

export interface NewRegistration {
  /** UUID, in the API `identificadorWebhook`. */
  readonly id: string
  /** The client's id; null: the operator. */
  readonly owner: string | null
}

/** A registration, and whether it is new. */
export interface Registered {
  readonly destination: Destination
  readonly isNew: boolean
}

export function isRegistrationFor(kind: RegisteredKind, { origin, kinds }: Destination): boolean {
  return origin === 'registration' && kinds?.length === 1 && kinds[0] === kind
}

/** Whether two registrations have the same URL, in any notation, and the same kinds. */
export function isSameRegistration(
  { origin, ...known }: Destination,
  { url, kinds }: Pick<DestinationSettings, 'url' | 'kinds'>,
): boolean {
  return origin === 'registration' && isSameUrl(known.url, url) && String(known.kinds) === String(kinds)
}

/** Whether two URLs are equal after normalization (WHATWG URL standard). */
export function isSameUrl(one: string, other: string): boolean {
  return new URL(one).href === new URL(other).href
}
