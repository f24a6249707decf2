import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { callApi, callBack } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { sendStrangers } from '../../support/strangers.ts'
import { until } from '../../support/until.ts'

async function startWithLimits(limits: Record<string, unknown>): Promise<TestGateway> {
  const api = { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', limits }
  return startTestGateway(await createSite({ api }))
}

const codes = ({ lines }: TestGateway) =>
  lines.filter(({ event, listener }) => event === 'caller.refused' && listener === 'api').map(({ code }) => code)

it('a request to the API that waits for events outlasts the request timeout, and untrusted callers do not take its place', async () => {
  const gateway = await startWithLimits({ maxConnections: 8, headersTimeout: '400ms', requestTimeout: '400ms' })
  const startedAt = performance.now()
  const [waited] = await Promise.all([
    callApi(gateway.api, '/v1/events?kind=registration&wait=2'),
    sendStrangers(gateway.api.port, { count: 40, addresses: ['127.0.0.2', '127.0.0.3'], mostMade: 200 }),
  ])
  expect([waited.status, performance.now() - startedAt > 1900]).toEqual([200, true])
  expect(codes(gateway)).toContain('too_many_from_address')
  await callBack(gateway)
  expect((await callApi(gateway.api, '/v1/events')).status).toBe(200)
})

it('a request to the API that does not come to its end is answered with 408 in time', async () => {
  const gateway = await startWithLimits({ headersTimeout: '400ms', requestTimeout: '400ms' })
  const socket = connect({ host: '127.0.0.1', port: gateway.api.port })
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString()
  })
  await once(socket, 'connect')
  const type = 'Content-Type: application/json'
  socket.write(`POST /oauth/token HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: 100\r\n\r\n{`)
  await until(() => socket.closed)
  expect(answer).toContain('HTTP/1.1 408 ')
})

it('refused connections to the API are on record, and found by their listener', async () => {
  const gateway = await startWithLimits({ maxConnections: 8, connectionsPerAddress: 2 })
  await sendStrangers(gateway.api.port, { count: 4, addresses: ['127.0.0.9'] })
  const refusals = await until(
    async () => JSON.parse((await callApi(gateway.api, '/v1/refusals?listener=api')).body).data as object[],
    (rows) => rows.length >= 2,
  )
  const reason = 'too many connections from 127.0.0.9 (limits.connectionsPerAddress is 2)'
  expect(refusals).toEqual(
    Array(2).fill(
      expect.objectContaining({ listener: 'api', remoteAddress: '127.0.0.9', code: 'too_many_from_address', reason }),
    ),
  )
  const { body } = await callApi(gateway.api, '/metrics')
  expect(body).toMatch(/portaria_connections_limit\{listener="api"\} 8\n/)
  expect(body).toMatch(/portaria_refusals_total\{listener="api",code="too_many_from_address"\} 2\n/)
})
