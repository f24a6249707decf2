import { type Dispatcher, request } from 'undici'
import { readBounded } from '../../platform/bounded-body.ts'
import { DemoFailure } from './waiting.ts'

const TIMEOUT_MS = 10_000

export interface Call {
  /** Who is called, for messages. */
  readonly who: string
  readonly method: string
  readonly url: string
  readonly body?: object | undefined
  readonly authorization?: string
  readonly dispatcher?: Dispatcher
  readonly signal: AbortSignal
}

/** @returns the JSON of the answer; null: it has none. @throws DemoFailure unless it is 2xx */
export async function askJson<T>({ who, method, url, body, authorization, dispatcher, signal }: Call): Promise<T> {
  const response = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(dispatcher !== undefined && { dispatcher }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
  const text = (await readBounded(response.body)).toString()
  const isSuccess = response.statusCode >= 200 && response.statusCode < 300
  if (!isSuccess) throw new DemoFailure(`${who} answered ${method} ${url} with ${response.statusCode}: ${text}`)
  return (text === '' ? null : JSON.parse(text)) as T
}
