import { request } from 'undici'
import type { OpenApiDocument } from '../documents/described-operations.ts'
import { messageOf, SimulatorError } from '../errors.ts'
import { readBounded } from '../http/bounded-body.ts'
import { commandNames } from './command-names.ts'
import type { ControlRequest } from './operations.ts'

/** Longer than a clock that is moved over many callbacks. */
const TIMEOUT_MS = 300_000

/** The control API of a running simulator. */
export interface ControlApi {
  document(): Promise<OpenApiDocument>
  /** @returns the JSON of the answer; undefined: it has no body @throws SimulatorError with the reason of a refusal */
  send(sent: ControlRequest): Promise<unknown>
}

/** @param address with or without /control @param token of its control port; null: it needs none */
export function createControlApi(address: URL, token: string | null = null): ControlApi {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  async function send({ method, path, body }: ControlRequest): Promise<unknown> {
    const { status, text } = await exchange(new URL(path, address), method, { body, headers: authorization })
    const json: unknown = text === '' ? undefined : JSON.parse(text)
    if (status < 300) return json
    const { error } = json as { error?: string }
    throw new SimulatorError(
      status === 400 ? 'request_invalid' : 'refused',
      `the simulator refused it: ${error ?? status}`,
    )
  }
  return {
    send,
    document: () => send({ method: 'GET', path: '/control/openapi.json', body: undefined }) as Promise<OpenApiDocument>,
  }
}

interface Sent {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

async function exchange(url: URL, method: string, { body, headers }: Sent): Promise<{ status: number; text: string }> {
  try {
    const response = await request(url, {
      method,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
    const text = await readBounded(response.body)
    if (text !== '' && !isJson) throw new Error('its answer is no JSON')
    return { status: response.statusCode, text }
  } catch (error) {
    const advice = `start one with "${commandNames.simulator}", or give its address with --control`
    throw new SimulatorError('not_running', `no simulator answers at ${url.origin} (${messageOf(error)}): ${advice}`)
  }
}
