import type { Client, ClientOptions, LoadedBuild } from './builds.ts'

/** One call that the client answered. */
export interface CallOf {
  readonly method: string
  /** Parameters, a body, or both. */
  readonly args: readonly unknown[]
  /** What the answer is about, as "EXECUTADO". */
  readonly about: string
  readonly answer: unknown
}

export interface Surroundings {
  /** As the first account of the sandbox. */
  readonly options: ClientOptions
  /** As the first account of production, without a certificate. */
  readonly production: ClientOptions
  /** Base address of the control API. */
  readonly control: string
  /** Address of a receiver that keeps the contract of the two requests. */
  readonly receiver: string
  /** Address of a receiver of charge notifications. */
  readonly notifications: string
}

export interface Caller {
  readonly surroundings: Surroundings
  readonly Client: LoadedBuild['Client']
  /** Calls a method of the client and keeps its answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
  call(method: string, about: string, ...args: unknown[]): Promise<any>
  /** The same with another client. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
  callAs(client: Client, method: string, about: string, ...args: unknown[]): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
  control(method: string, path: string, body?: unknown): Promise<any>
}

/** A request to the control API of the sandbox; its answer as JSON. */
export async function askControl(base: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${base}${path}`, {
    // A kept connection may be closed already, after the loading of a build held this thread up.
    method,
    headers: { 'content-type': 'application/json', connection: 'close' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
