import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Posted {
  readonly path: string
  readonly contentType: string | undefined
  readonly body: string
}

/** An integrator's notification address over plain HTTP, for one test. @param answer status of each answer, or what to do first */
export async function plainReceiver(answer: (posted: Posted) => number | Promise<number> = () => 200) {
  const received: Posted[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('utf8')
    const posted = { path: request.url ?? '', contentType: request.headers['content-type'], body }
    received.push(posted)
    response.writeHead(await answer(posted)).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { received, urlOf: (path: string) => `http://localhost:${port}/${path}` }
}
