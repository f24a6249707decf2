import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { bareApp } from '../../src/receiving/callback-app.ts'

it('a server of these classes makes messages that Express need not change', async () => {
  const { app, ...messages } = bareApp()
  const prototypes: object[] = []
  app.use((request, response) => {
    prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response))
    // Methods of Express.
    response.status(202).end(request.get('x-name'))
  })
  const server = createServer(messages, (request, response) => {
    prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response))
    app(request as Parameters<typeof app>[0], response as Parameters<typeof app>[1])
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const [answer] = (await once(get({ port, headers: { 'x-name': 'books' }, agent: false }), 'response')) as [
    IncomingMessage,
  ]
  expect([answer.statusCode, String((await answer.toArray()).join(''))]).toEqual([202, 'books'])
  const [request, response, ...later] = prototypes
  expect(later[0]).toBe(request)
  expect(later[1]).toBe(response)
})
