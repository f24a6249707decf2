import { messageOf } from '../../platform/errors.ts'
import { VERSION } from '../../platform/version.ts'
import { AlarmFailure, type Channel, failureOf } from './channel.ts'
import { WEBHOOK_FORMATS, type WebhookFormat } from './webhook-formats.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export interface HttpAnswer {
  readonly status: number
  /** At most the first kilobytes. */
  readonly body: string
}

/** One request and its answer; redirects are not followed. @throws Error in words, and the reason of the signal */
export type SendHttp = (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer>

export interface WebhookOptions {
  readonly name: string
  readonly url: string
  readonly format: WebhookFormat
  readonly send: SendHttp
}

export function createWebhookChannel({ name, url, format, send }: WebhookOptions): Channel {
  return {
    name,
    async send(message, signal) {
      const { url: address, body } = WEBHOOK_FORMATS[format](url, message)
      const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': `Portaria/${VERSION}` }
      const answer = await send({ method: 'POST', url: address, headers, body: JSON.stringify(body) }, signal).catch(
        (error: unknown) => {
          throw failureOf(messageOf(error), secretsIn(url))
        },
      )
      if (answer.status >= 200 && answer.status < 300) return
      throw failureOf(`HTTP ${answer.status}: ${answer.body}`.replace(/: $/, ''), secretsIn(url))
    },
  }
}

/** What makes an address of a chat service work for everybody who has it: everything behind its host. */
export function secretsIn(url: string): string[] {
  const { pathname, search, searchParams } = new URL(url)
  const parts = [...pathname.split('/'), ...searchParams.values()]
  // Shorter ones are words such as `services` and `api`.
  return [`${pathname}${search}`, ...parts.filter(({ length }) => length >= SECRET_FROM)]
}

const SECRET_FROM = 9

export interface HeartbeatOptions {
  readonly url: string
  readonly send: SendHttp
}

/** @throws AlarmFailure */
export async function beat({ url, send }: HeartbeatOptions, signal: AbortSignal): Promise<void> {
  const headers = { 'user-agent': `Portaria/${VERSION}` }
  const answer = await send({ method: 'GET', url, headers, body: null }, signal).catch((error: unknown) => {
    throw failureOf(messageOf(error), secretsIn(url))
  })
  if (answer.status < 200 || answer.status >= 300) throw new AlarmFailure(`HTTP ${answer.status}`)
}
