import type { AlarmFailureCode } from '../../domain/alarms/failure.ts'
import { messageOf } from '../../platform/errors.ts'
import { VERSION } from '../../platform/version.ts'
import { AlarmFailure, type Channel, failureOf } from './channel.ts'
import { WEBHOOK_FORMATS, type WebhookFormat, waitInAnswer } from './webhook-formats.ts'

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
  /** The header `Retry-After`; undefined: there is none. */
  readonly retryAfter?: string | undefined
}

/** One request and its answer; redirects are not followed. @throws AlarmFailure, or another error in words */
export type SendHttp = (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer>

export interface WebhookOptions {
  readonly name: string
  /** @throws AlarmFailure where it is in a file that cannot be used */
  readonly readUrl: () => string
  readonly format: WebhookFormat
  readonly send: SendHttp
}

export function createWebhookChannel({ name, readUrl, format, send }: WebhookOptions): Channel {
  return {
    name,
    async send(message, signal) {
      const url = readUrl()
      const { url: address, body } = WEBHOOK_FORMATS[format](url, message)
      const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': `Portaria/${VERSION}` }
      const request = { method: 'POST', url: address, headers, body: JSON.stringify(body) } as const
      const { status, body: words, retryAfter } = await sent(request, send, signal)
      if (status >= 200 && status < 300) return
      throw failureOf(
        codeOf(status),
        `${status}: ${words}`.replace(/: $/, ''),
        secretsIn(url),
        retryAfter ?? waitInAnswer(words),
      )
    },
  }
}

/** @throws AlarmFailure */
async function sent(request: HttpRequest, send: SendHttp, signal: AbortSignal): Promise<HttpAnswer> {
  try {
    return await send(request, signal)
  } catch (error) {
    if (signal.aborted) throw new AlarmFailure('timed_out')
    const { code, words } = error instanceof AlarmFailure ? error : { code: 'failed' as const, words: messageOf(error) }
    throw words === null ? new AlarmFailure(code) : failureOf(code, words, secretsIn(request.url))
  }
}

function codeOf(status: number): AlarmFailureCode {
  if (status < 400) return 'webhook_redirects'
  if (status === 404 || status === 410) return 'webhook_unknown'
  if (status === 429) return 'webhook_busy'
  return status < 500 ? 'webhook_refused' : 'webhook_failing'
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
  const { status } = await sent({ method: 'GET', url, headers, body: null }, send, signal)
  if (status < 200 || status >= 300) throw new AlarmFailure(codeOf(status), String(status))
}
