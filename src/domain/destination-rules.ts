import { isExtraHeaderAllowed } from './extra-headers.ts'

/** What a destination's settings may be: the same in the configuration file, over the API and on the command line. */
export const DESTINATION_LIMITS = {
  timeoutMs: { min: 100, max: 120_000 },
  /** Each attempt holds its body in memory. */
  concurrency: { min: 1, max: 256 },
  /** Deliveries a second. */
  rate: { min: 1, max: 100_000 },
  scheduleSteps: 100,
  scheduleWaitMs: { min: 0, max: 30 * 86_400_000 },
} as const

/** With dots, so that a host name is one: a destination without a name is called by its host. In words what is wrong, or null. */
export function problemOfDestinationName(name: string): string | null {
  return /^[a-z0-9][a-z0-9.-]{0,62}$/i.test(name)
    ? null
    : 'must be a name of up to 63 letters, digits, dots and hyphens that starts with a letter or a digit'
}

/** RFC 9110 section 5.1: a field name is a token. In words what is wrong, or null. */
export function problemOfHeaderName(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name))
    return 'is not the name of an HTTP header: use letters, digits and hyphens, at most 128'
  return isExtraHeaderAllowed(name) ? null : 'is set by the gateway itself: remove it'
}

/** RFC 9110 section 5.5, without what is not ASCII. In words what is wrong, or null. */
export function problemOfHeaderValue(value: string): string | null {
  if (!/^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(value))
    return 'must be ASCII text without line breaks, and without spaces at its ends'
  return value.length > 4096 ? 'must be at most 4096 characters' : null
}
