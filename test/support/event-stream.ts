import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { OPERATOR_TOKEN } from './gateway.ts'
import { until } from './until.ts'

export interface ReceivedMessage {
  readonly type: string
  readonly data: string
  readonly lastEventId: string
}

/** Reads an event stream as section 9.2.6 of WHATWG HTML says, written from its text alone. */
export class StreamParser {
  readonly messages: ReceivedMessage[] = []
  readonly comments: string[] = []
  lastEventId = ''
  retryMs: number | null = null
  #rest = ''
  #data = ''
  #type = ''

  push(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|\n|\r/)
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
  }

  #line(line: string): void {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return void this.comments.push(line.slice(1).trim())
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') this.#data += `${value}\n`
    else if (field === 'event') this.#type = value
    else if (field === 'id' && !value.includes('\0')) this.lastEventId = value
    else if (field === 'retry' && /^[0-9]+$/.test(value)) this.retryMs = Number(value)
    else throw new Error(`a field that is unknown: ${line}`)
  }

  #dispatch(): void {
    if (this.#data !== '')
      this.messages.push({
        type: this.#type === '' ? 'message' : this.#type,
        data: this.#data.slice(0, -1),
        lastEventId: this.lastEventId,
      })
    this.#data = ''
    this.#type = ''
  }
}

export interface StreamOptions {
  readonly authorization?: string
  readonly lastEventId?: string
  readonly headers?: Record<string, string>
  readonly localAddress?: string
}

/** A reader of an event stream. It goes with the test. */
export async function openEventStream(api: { readonly port: number }, path: string, options: StreamOptions = {}) {
  const { authorization = `Bearer ${OPERATOR_TOKEN}`, lastEventId, localAddress } = options
  const headers = {
    authorization,
    accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    ...options.headers,
  }
  const at = { host: '127.0.0.1', port: api.port, localAddress }
  const asked: ClientRequest = request({ ...at, path, headers, agent: false })
  asked.on('error', () => undefined).end()
  onTestFinished(() => void asked.destroy())
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve)
    asked.once('error', reject)
  })
  const parser = new StreamParser()
  let isEnded = false
  response.setEncoding('utf8')
  response.on('data', (text: string) => parser.push(text))
  response.on('error', () => undefined)
  response.once('close', () => {
    isEnded = true
  })
  return {
    parser,
    response,
    status: response.statusCode,
    headers: response.headers,
    isEnded: () => isEnded,
    close: () => asked.destroy(),
    /** The messages, once there are so many. */
    messages: (count: number, limitMs?: number) =>
      until(
        () => parser.messages,
        (all) => all.length >= count,
        limitMs,
      ),
  }
}
