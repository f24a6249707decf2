import { appendFileSync, closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express, type RequestHandler } from 'express'

/** The two addresses of the published examples: the one of the registration, and the one with the service's suffix. */
export const ADDRESSES = ['/webhook', '/webhook/pix']

const refuseNone: RequestHandler = (_request, _response, next) => next()

/** What the published example for Node does: parsed JSON, one line a callback, 200. @param guard before it; by default it refuses no caller */
export function appendingApp(log: string, guard = refuseNone): Express {
  return jsonApp(guard, (body) => appendFileSync(log, `${JSON.stringify(body)}\n`))
}

/** The same, with its callbacks in memory: gone when it ends. */
export function rememberingApp(): Express {
  const callbacks: unknown[] = []
  const guard = refuseNone
  return jsonApp(guard, (body) => void callbacks.push(body))
}

function jsonApp(guard: RequestHandler, keep: (body: unknown) => void): Express {
  const app = express()
  app.use(express.json(), express.urlencoded({ extended: false }))
  app.post(ADDRESSES, guard, ({ body }, response) => {
    keep(body)
    response.status(200).send('200')
  })
  return app
}

export interface RunningApp {
  /** Of 127.0.0.1. */
  readonly port: number
  stop(): Promise<void>
}

/** An app behind something that ends TLS for it. */
export function startApp(app: Express): Promise<RunningApp> {
  return listen(createServer(app))
}

/** @param server an HTTP or HTTPS server */
export async function listen(server: Server): Promise<RunningApp> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { port, stop }
}

export interface CarefulOptions {
  readonly route: string | RegExp
  /** Before it; by default it refuses no caller. */
  readonly guard?: RequestHandler
  /** It answers as open finance wants; by default 200. */
  readonly isAccepted?: true
}

/**
 * What an app should do: it reads any content type, and answers when each new fact is on the disk.
 * A charge token is never taken for a repetition: it says only that there is something new.
 */
export function carefulApp(log: string, { route, guard = refuseNone, isAccepted }: CarefulOptions): Express {
  const known = new Set<string>()
  const app = express()
  const read = express.raw({ type: () => true, limit: '16mb', inflate: false })
  app.post(route, guard, read, ({ body, headers }, response) => {
    const text = Buffer.isBuffer(body) ? body.toString() : ''
    const isToken = /^notification=/.test(text)
    const added = factsIn(text).filter((fact) => isToken || !known.has(fact))
    const file = openSync(log, 'a')
    for (const fact of added) {
      known.add(fact)
      writeSync(file, `${fact}\n`)
    }
    fsyncSync(file)
    closeSync(file)
    if (isAccepted !== true) return void response.status(200).send('200')
    const { 'x-webhook-interaction-id': id } = headers
    response
      .status(202)
      .set(id === undefined ? {} : { 'x-webhook-interaction-id': id })
      .end()
  })
  return app
}

/** The members of an array, or of the array of an instant payment; else the body itself. */
function factsIn(text: string): string[] {
  try {
    const value = JSON.parse(text)
    const facts = Array.isArray(value) ? value : Array.isArray(value.pix) ? value.pix : [value]
    return facts.map((fact: unknown) => JSON.stringify(fact))
  } catch {
    return text === '' ? [] : [text]
  }
}
