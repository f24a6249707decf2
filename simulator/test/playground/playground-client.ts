import { request } from 'undici'
import type { RunningSimulator } from '../running.ts'

export interface PlaygroundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies are asserted, not typed
  readonly json: any
}

/** A request to the playground as a program makes it. @param path below /playground */
export async function askPlayground(
  { simulator }: Pick<RunningSimulator, 'simulator'>,
  method: 'GET' | 'POST',
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
): Promise<PlaygroundAnswer> {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await request(`http://localhost:${simulator.controlPort}/playground${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(sent !== undefined && { body: sent }),
  })
  const text = await response.body.text()
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  return { status: response.statusCode, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
}

/** The texts of a page's `pre` elements, as a browser shows them. */
export function textsIn(page: string): string[] {
  return [...page.matchAll(/<pre[^>]*>(?:<code>)?([\s\S]*?)(?:<\/code>)?<\/pre>/g)].map(([, text = '']) => shown(text))
}

/** HTML as text. */
export function shown(text: string): string {
  return text.replaceAll(/<[^>]+>/g, '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
