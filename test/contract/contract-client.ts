import { Agent, request } from 'undici'
import { onTestFinished } from 'vitest'
import type { Exchange } from '../support/api-contract.ts'

/** PEM, as it is shown in the handshake. */
export interface ClientTls {
  readonly cert: string
  readonly key: string
}

/** Somebody who uses the contract, and may do everything in it. */
export interface Account {
  readonly clientId: string
  readonly clientSecret: string
  /** The account certificate (Document 1, Authentication 1); null: none is needed. */
  readonly tls: ClientTls | null
}

export interface Asked {
  readonly method?: string
  readonly path: string
  readonly token?: string | null
  /** Sent as JSON; a string as it is. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly tls?: ClientTls | null
  /** The address that it comes from. */
  readonly localAddress?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export type Ask = (base: string, asked: Asked) => Promise<Answer>

/**
 * Only HTTP. @param authorities PEM of whom the servers' certificates come from; null: they are not asked for one
 * @param judge throws when an answer is not as it was promised
 */
export function createAsk(authorities: string | null, judge: (exchange: Exchange) => void = () => undefined): Ask {
  const agents = new Map<string | undefined, Map<ClientTls | null, Agent>>()
  onTestFinished(async () => {
    const all = [...agents.values()].flatMap((byTls) => [...byTls.values()])
    await Promise.all(all.map((agent) => agent.destroy()))
  })
  function agentFor(tls: ClientTls | null, localAddress: string | undefined): Agent {
    const from = localAddress === undefined ? {} : { localAddress }
    const connect = authorities === null ? {} : { ca: authorities, ...tls }
    const byTls = agents.get(localAddress) ?? new Map<ClientTls | null, Agent>()
    const agent = byTls.get(tls) ?? new Agent({ connect, ...from })
    agents.set(localAddress, byTls.set(tls, agent))
    return agent
  }

  return async function ask(base, asked) {
    const { method = 'GET', path, token = null, body, headers = {}, tls = null, localAddress } = asked
    const url = `${base}${path}`
    const requestBody = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const requestHeaders = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
    const { statusCode, ...answer } = await request(url, {
      method,
      headers: requestHeaders,
      dispatcher: agentFor(tls, localAddress),
      ...(requestBody !== undefined && { body: requestBody }),
    })
    const answered = { status: statusCode, headers: answer.headers, text: await answer.body.text() }
    const target = url.slice(new URL(url).origin.length)
    judge({ ...answered, method, target, requestHeaders, requestBody, body: answered.text })
    return answered
  }
}

export function bodyOf<T = Record<string, unknown>>({ text }: Answer): T {
  return JSON.parse(text) as T
}
