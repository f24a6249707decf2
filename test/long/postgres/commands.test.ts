import { expect, it } from 'vitest'
import { linesOf, portaria } from '../../cli/program.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { startTestGateway, type TestSite } from '../../support/gateway.ts'
import { siteOn } from '../../support/postgres.ts'
import { describePostgres } from '../../support/with-postgres.ts'

describePostgres('commands on PostgreSQL', (server) => {
  /** Three events, and a gateway that has stopped. */
  async function siteWithEvents(): Promise<TestSite> {
    const site = await siteOn(server)
    const gateway = await startTestGateway(site)
    const destination = { name: 'books', url: 'http://127.0.0.1:9/' }
    await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: destination })
    for (const id of ['a', 'b', 'c']) await callBack(gateway, { body: `{"identificador":"${id}"}` })
    await gateway.stop()
    return site
  }

  it('read the database, and change it while no gateway runs', async () => {
    const site = await siteWithEvents()
    const out = async (...args: string[]) => {
      const { code, stdout, stderr } = await portaria(site, ...args)
      expect([code, stderr]).toEqual([0, ''])
      return stdout
    }
    expect(await out('events', 'list', '--json')).toContain('"subject":"c"')
    expect(await out('deliveries', 'list', '--destination', 'books', '--json')).toContain('"state":"pending"')
    expect(await out('quarantine', 'list')).toBe('nothing in quarantine\n')
    expect(await out('destinations', 'pause', 'books')).toContain('paused')
    expect(linesOf(await portaria(site, 'destinations', 'list', '--json'))).toMatchObject([{ state: 'paused' }])
    expect(linesOf(await portaria(site, 'storage', 'export', '--deliveries'))).toHaveLength(3)
    expect(await out('storage', 'redact', '--subject', 'a', '--yes')).toContain('redacted a: events: 1')
    expect(await out('storage', 'prune')).toContain('removed')
    expect((await portaria(site, 'storage', 'reindex')).stdout).toContain('events up to position 3')
    expect(await out('events', 'find', 'c')).toContain('waits: books is paused')
    expect(await out('storage', 'confirm-clock')).toContain('it was not in doubt')
    expect(await out('audit', 'list', '--json')).toContain('"action":"redact"')
    const [stats] = linesOf<{ file: string; tables: { name: string; rows: number }[] }>(
      await portaria(site, 'storage', 'stats', '--json'),
    )
    expect(stats).toMatchObject({ file: expect.stringMatching(/^postgres:\/\/:\d+\/test_\d+\?host=/), freeBytes: null })
    expect(stats?.tables.find(({ name }) => name === 'events')?.rows).toBe(3)
    const verified = await portaria(site, 'storage', 'verify', '--chain', '--json')
    expect([verified.code, verified.stderr]).toEqual([0, ''])
    expect(linesOf(verified)).toMatchObject([
      { isSound: true, chain: { events: 3, head: { position: 3 } }, search: null },
    ])
    expect((await portaria(site, 'storage', 'verify')).stdout).toContain('is sound: 3 events of 3 callbacks')
  })

  it('leave backups to PostgreSQL, and say with what', async () => {
    const site = await siteOn(server)
    const backup = await portaria(site, 'storage', 'backup', 'b.db')
    expect([backup.code, backup.stderr]).toEqual([2, expect.stringContaining('pg_dump')])
    const restore = await portaria(site, 'storage', 'restore', 'b.db')
    expect([restore.code, restore.stderr]).toEqual([2, expect.stringContaining('pg_restore')])
    const loss = await portaria(site, 'storage', 'confirm-loss')
    expect([loss.code, loss.stderr]).toEqual([2, expect.stringContaining('PostgreSQL has no loss to confirm')])
  })

  it('say where there is nothing yet, and where nothing answers', async () => {
    const empty = await portaria(await siteOn(server), 'events', 'list')
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('start the gateway once')])
    const site = await siteOn(server, { url: 'postgres://portaria@/portaria?host=/nowhere' })
    const away = await portaria(site, 'events', 'list')
    expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('/nowhere')])
    const checked = await portaria(site, 'check', '--offline', '--json')
    expect(checked.stdout).toContain('"code":"database.unusable"')
    const start = await portaria(site, 'serve')
    expect([start.code, start.stderr]).toEqual([1, expect.stringContaining('/nowhere')])
  })
})
