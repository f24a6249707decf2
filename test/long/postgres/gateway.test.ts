import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { type PostgresServer, postgresPrograms, siteOn, startPostgres } from '../../support/postgres.ts'

describe.skipIf(postgresPrograms() === null)('a gateway on PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it('stores a callback and hands it to a poller; its metrics know no disk', async () => {
    const site = await siteOn(server)
    const gateway = await startTestGateway(site)
    expect((await callBack(gateway, { body: '{"identificador":"a"}' })).status).toBe(200)
    expect(await allEvents(gateway.api)).toMatchObject([{ kind: 'payment', subject: 'a' }])
    expect((await callApi(gateway.api, '/readyz')).status).toBe(200)
    const metrics = (await callApi(gateway.api, '/metrics')).body
    expect(metrics).toContain('portaria_quarantined_facts 0')
    expect(metrics).not.toContain('portaria_storage_')
  })
})
