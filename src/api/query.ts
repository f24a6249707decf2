import { PortariaError } from '../domain/errors.ts'
import { ENVIRONMENTS, type Environment, LISTENER_NAMES, type ListenerName } from '../domain/event.ts'
import { parseCursor } from '../domain/public-id.ts'
import { DELIVERY_STATES, type DeliveryState } from '../domain/store.ts'

export const MAX_LIMIT = 1000
const DEFAULT_LIMIT = 100

/** The query of a request, each name once but for those that may be repeated. Collects every violation. */
export class QueryReader {
  readonly #parameters: URLSearchParams
  readonly #violations: string[] = []

  constructor(url: string, known: readonly string[]) {
    const mark = url.indexOf('?')
    this.#parameters = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1))
    for (const name of new Set(this.#parameters.keys())) {
      if (!known.includes(name)) this.#violations.push(`${name}: unknown; known are ${known.join(', ')}`)
    }
  }

  text(name: string): string | undefined {
    const values = this.#parameters.getAll(name)
    if (values.length > 1) this.#violations.push(`${name}: given ${values.length} times`)
    return values[0]
  }

  /** Repeated, or separated by commas. */
  list(name: string): string[] | undefined {
    const values = this.#parameters.getAll(name).flatMap((value) => value.split(','))
    return values.length === 0 ? undefined : values
  }

  limit(): number {
    const text = this.text('limit')
    if (text === undefined) return DEFAULT_LIMIT
    const limit = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0
    if (limit < 1 || limit > MAX_LIMIT) this.#violations.push(`limit: a whole number from 1 to ${MAX_LIMIT}`)
    return limit
  }

  environment(): Environment | undefined {
    return this.#oneOf('environment', ENVIRONMENTS)
  }

  listener(): ListenerName | undefined {
    return this.#oneOf('listener', LISTENER_NAMES)
  }

  deliveryState(name: string): DeliveryState | undefined {
    return this.#oneOf(name, DELIVERY_STATES)
  }

  time(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const time = parseTime(text)
    if (time === null) this.#violations.push(`${name}: an ISO 8601 time such as 2026-01-31T12:00:00Z`)
    return time ?? undefined
  }

  /** The position behind a cursor; `latest` is left to the caller. */
  cursor(name: string): number | 'latest' | undefined {
    const text = this.text(name)
    if (text === undefined || text === 'latest') return text
    const position = parseCursor(text)
    if (position === null) this.#violations.push(`${name}: a cursor that "next" of an earlier answer gave, or latest`)
    return position ?? undefined
  }

  #oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name)
    const value = values.find((v) => v === text)
    if (text !== undefined && value === undefined) this.#violations.push(`${name}: one of ${values.join(', ')}`)
    return value
  }

  reject(violation: string): void {
    this.#violations.push(violation)
  }

  /** @throws PortariaError `request_invalid` with everything that is wrong */
  done(): void {
    if (this.#violations.length === 0) return
    throw new PortariaError('request_invalid', `the query is wrong: ${this.#violations.join('; ')}`, {
      details: this.#violations,
    })
  }
}

/** ISO 8601: a date, or a date and time with an offset or Z. In ms, or null. */
export function parseTime(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) || !isDay(text.slice(0, 10)) ? null : time
}

/** Date.parse takes the 31st of February for the 3rd of March. */
function isDay(text: string): boolean {
  return new Date(text).toISOString().startsWith(text)
}
