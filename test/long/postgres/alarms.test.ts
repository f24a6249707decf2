import { expect, it } from 'vitest'
import { callApi, callBack } from '../../support/calls.ts'
import { spawnGateway, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { siteOn } from '../../support/postgres.ts'
import { startReceiver, type TestReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { describePostgres } from '../../support/with-postgres.ts'

describePostgres('alarms of several gateways on one PostgreSQL database', (server) => {
  it('are sent once, heed the mutes of each node, and after a kill are sent by the other, which repeats none', async () => {
    const team = await startReceiver()
    const url = await server.createDatabase()
    const siteOf = (name: string) =>
      siteOn(server, {
        url,
        node: { name, folder: 'data' },
        forwarding: {
          allowedNetworks: ['loopback'],
          schedule: ['0s', '1h'],
          circuit: { failures: 1, probeInterval: '200ms' },
        },
        alarms: { group: '0s', channels: [{ name: 'team', webhook: team.url, format: 'json' }] },
      })
    const killed = await spawnGateway(await siteOf('killed'))
    const other = await startTestGateway(await siteOf('other'))
    const receivers = await Promise.all(['books', 'quiet'].map(() => startReceiver()))
    for (const [n, receiver] of receivers.entries()) {
      receiver.answer(500)
      const body = { name: n === 0 ? 'books' : 'quiet', url: receiver.url }
      expect((await callApi(other.api, '/v1/destinations', { method: 'POST', body })).status).toBe(201)
    }
    const mute = { code: 'circuit_open', subject: 'quiet', until: new Date(Date.now() + 3_600_000).toISOString() }
    expect((await callApi(other.api, '/v1/alarms/mutes', { method: 'POST', body: mute })).status).toBe(201)

    expect((await callBack(other, { body: '{"identificador":"1"}' })).status).toBe(200)
    await until(() => aboutCircuits(team).length > 0)
    await until(async () => (await channelStates(other.api)).includes('circuit_open quiet muted'))
    expect(aboutCircuits(team)).toEqual(['began books'])

    killed.process.kill('SIGKILL')
    await killed.exited
    for (const receiver of receivers) receiver.answer(200)
    // A probe that the killed node had claimed is free again after 45 s (timeout and 30 s); then the other node tries.
    await until(() => aboutCircuits(team).length > 1, Boolean, 120_000)
    await until(async () => (await channelStates(other.api)).length === 0, Boolean, 60_000)
    expect(aboutCircuits(team)).toEqual(['began books', 'ended books'])
  })
})

function aboutCircuits({ received }: TestReceiver): string[] {
  return received.flatMap(({ body }) => {
    const message = JSON.parse(String(body)) as Record<'began' | 'ended', { code: string; subject: string }[]>
    return (['began', 'ended'] as const).flatMap((part) =>
      message[part].filter(({ code }) => code === 'circuit_open').map(({ subject }) => `${part} ${subject}`),
    )
  })
}

/** Of the open circuits. */
async function channelStates(api: TestGateway['api']): Promise<string[]> {
  const { alarms } = JSON.parse((await callApi(api, '/v1/alarms')).body) as {
    alarms: { code: string; subject: string | null; channels: { state: string }[] }[]
  }
  return alarms
    .filter(({ code }) => code === 'circuit_open')
    .flatMap(({ code, subject, channels }) => channels.map(({ state }) => `${code} ${subject} ${state}`))
}
