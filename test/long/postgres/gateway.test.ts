import { expect, it } from 'vitest'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { siteOn } from '../../support/postgres.ts'
import { describePostgres } from '../../support/with-postgres.ts'

describePostgres('a gateway on PostgreSQL', (server) => {
  it('stores a callback and hands it to a poller; its metrics know no disk', async () => {
    const site = await siteOn(server)
    const gateway = await startTestGateway(site)
    expect((await callBack(gateway, { body: '{"identificador":"a"}' })).status).toBe(200)
    expect(await allEvents(gateway.api)).toMatchObject([{ kind: 'payment', subject: 'a' }])
    expect((await callApi(gateway.api, '/readyz')).status).toBe(200)
    expect(JSON.parse((await callApi(gateway.api, '/v1/overview')).body).freeSpace).toBeNull()
    const metrics = (await callApi(gateway.api, '/metrics')).body
    expect(metrics).toContain('portaria_quarantined_facts 0')
    expect(metrics).not.toContain('portaria_storage_')
  })

  it('refuses callbacks with Retry-After while the server is away, says why, and goes on by itself', async () => {
    const gateway = await startTestGateway(await siteOn(server))
    await server.shutDown()
    const refused = await callBack(gateway, { body: '{"identificador":"a"}' })
    expect(refused.status).toBe(503)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const reasons = async () => JSON.parse((await callApi(gateway.api, '/readyz')).body).reasons
    await expect.poll(reasons).toEqual([expect.stringMatching(/^PostgreSQL at .* cannot be reached \(.*\): start it/)])
    await server.start()
    await expect.poll(async () => (await callBack(gateway, { body: '{"identificador":"b"}' })).status).toBe(200)
    expect(await allEvents(gateway.api)).toMatchObject([{ subject: 'b' }])
    expect(await reasons()).toEqual([])
  })
})
