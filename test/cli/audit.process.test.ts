import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { callApi } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { databaseFile } from '../support/store.ts'
import { linesOf, portaria } from './program.ts'

interface Entry {
  readonly id: string
  readonly actor: string
  readonly actorName: string | null
  readonly channel: string
  readonly action: string
  readonly target: string | null
  readonly reason: string | null
  readonly refersTo: string | null
}

it('lists what commands and apps have done, with a gateway and without one, and verify proves it', async () => {
  const site = await createSite()
  const run = (...args: string[]) => portaria(site, ...args)
  // Without a gateway the command performs the change itself.
  const create = [
    'clients',
    'create',
    '--name',
    'panel',
    '--environment',
    'any',
    '--scopes',
    'operations.write destinations.write',
  ]
  const [client] = linesOf<{ clientId: string; clientSecret: string }>(
    await run(...create, '--reason', 'for the shop & its till', '--json'),
  )
  const gateway = await startTestGateway(site)
  const credentials = { client_id: client?.clientId, client_secret: client?.clientSecret }
  const body = { grant_type: 'client_credentials', ...credentials }
  const { access_token: token } = JSON.parse(
    (await callApi(gateway.api, '/oauth/token', { method: 'POST', body, token: null })).body,
  )
  await callApi(gateway.api, '/v1/destinations/nothing/pause?reason=too+loud', { method: 'POST', token })
  await run('events', 'replay', 'evt_1_0123456789', '--destination', 'nothing', '--reason', 'was lost')
  await run('storage', 'prune', '--reason', 'the disk')
  await gateway.stop()

  const entries = linesOf<Entry>(await run('audit', 'list', '--json'))
  const actor = client?.clientId
  expect(entries).toMatchObject([
    { id: 'act_6', actor: 'operator', channel: 'control', action: 'prune', reason: 'the disk' },
    { id: 'act_5', action: 'replayEvent', reason: 'was lost', refersTo: 'act_4' },
    { id: 'act_4', action: 'replayEvent', target: 'evt_1_0123456789', reason: 'was lost', refersTo: null },
    { id: 'act_3', actor, actorName: 'panel', target: 'nothing', reason: 'too loud', refersTo: 'act_2' },
    { id: 'act_2', actor, channel: 'api', action: 'pauseDestination', target: 'nothing', refersTo: null },
    {
      id: 'act_1',
      actor: 'operator',
      actorName: null,
      channel: 'control',
      action: 'createClient',
      reason: 'for the shop & its till',
      details: { name: 'panel', environment: 'any', scopes: 'operations.write destinations.write' },
    },
  ])
  const ofPanel = linesOf<Entry>(await run('audit', 'list', '--json', '--actor', 'panel'))
  expect(ofPanel.map(({ id }) => id)).toEqual(['act_3', 'act_2'])

  expect((await run('storage', 'verify')).code).toBe(0)
  const db = new Database(databaseFile(loadConfig(site.configFile)))
  db.exec("update actions set reason = 'too quiet' where id = 2")
  db.close()
  const verified = await run('storage', 'verify')
  expect([verified.code, verified.stdout]).toEqual([
    1,
    expect.stringContaining('act_2 of the log of actions was changed'),
  ])
})
