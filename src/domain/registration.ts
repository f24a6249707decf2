import type { Destination, DestinationSettings } from './destination.ts'

/** Kinds of callbacks that apps register for through the service's contract (Document 1, endpoints 18 to 24). */
export type RegisteredKind = 'registration' | 'payment'

export interface NewRegistration {
  /** UUID, given out as `identificadorWebhook`. */
  readonly id: string
  /** The client whose own it is; null: the operator's. */
  readonly owner: string | null
}

/** A registration, whether it was made now or was there already. */
export interface Registered {
  readonly destination: Destination
  readonly isNew: boolean
}

export function isRegistrationFor(kind: RegisteredKind, { origin, kinds }: Destination): boolean {
  return origin === 'registration' && kinds?.length === 1 && kinds[0] === kind
}

/** Of the same URL, however it is spelled, and for the same kinds. */
export function isSameRegistration(
  { origin, ...known }: Destination,
  { url, kinds }: Pick<DestinationSettings, 'url' | 'kinds'>,
): boolean {
  return origin === 'registration' && isSameUrl(known.url, url) && String(known.kinds) === String(kinds)
}

/** Whether both name one address, as the WHATWG URL standard writes it. Both must be URLs. */
export function isSameUrl(one: string, other: string): boolean {
  return new URL(one).href === new URL(other).href
}
