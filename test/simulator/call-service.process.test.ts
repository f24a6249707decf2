import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { type RunningSimulator, simulatorForTest } from '../../simulator/test/running.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../docs/examples')

/** Runs docs/examples/call-service.sh as the first application of the sandbox. */
async function callService({ simulator }: RunningSimulator, args: readonly string[], changes: object = {}) {
  const { clientId, clientSecret } = simulator.sites.sandbox.applications.list()[0] as {
    clientId: string
    clientSecret: string
  }
  const child = spawn('sh', [join(EXAMPLES, 'call-service.sh'), ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      SERVICE_URL: `https://localhost:${simulator.ports.sandbox}`,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      CLIENT_CERTIFICATE: join(simulator.folder.path, 'accounts/sandbox-integrator.pem'),
      NODE_EXTRA_CA_CERTS: simulator.folder.rootFile,
      ...changes,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const code = new Promise<number | null>((ended) => child.once('close', ended))
  return { stdout: await text(child.stdout), stderr: await text(child.stderr), code: await code }
}

describe('docs/examples/call-service.sh', () => {
  it('calls each interface with a token of that interface', async () => {
    const running = await simulatorForTest()
    const balance = await callService(running, ['account', 'GET', '/v2/svc/saldo'])
    const charge = await callService(running, [
      ...['charges', 'POST', '/v1/charge'],
      '{"items":[{"name":"Book","value":15010}]}',
    ])
    const missing = await callService(running, ['registration', 'POST', '/v1/conta-simplificada', '@/dev/null'])
    expect([balance.code, charge.code, missing.code]).toEqual([0, 0, 22])
    expect(JSON.parse(charge.stdout)).toMatchObject({ code: 200, data: { status: 'new' } })
  })

  it('says that it got no token', async () => {
    const running = await simulatorForTest()
    const { code, stderr } = await callService(running, ['payment', 'GET', '/v1/webhook'], { CLIENT_SECRET: 'wrong' })
    expect({ code, isNamed: stderr.startsWith('no token: ') }).toEqual({ code: 1, isNamed: true })
  })
})

it('docs/examples/opening.json is accepted by the service', async () => {
  const running = await simulatorForTest()
  running.simulator.sites.sandbox.webhooks.register({
    interface: 'registration',
    account: '200001',
    url: 'https://localhost/callbacks',
  })
  const body = JSON.parse(readFileSync(join(EXAMPLES, 'opening.json'), 'utf8'))
  const { status, text: answer } = await running.ask('registration', {
    method: 'POST',
    path: '/v1/conta-simplificada',
    body,
  })
  expect([status, answer]).toEqual([200, expect.stringContaining('identificador')])
})
