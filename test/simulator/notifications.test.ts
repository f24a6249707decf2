import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allEvents } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { chargeClient } from '../../simulator/test/charges/charge-client.ts'
import { receiverCaFile } from '../../simulator/test/receiver.ts'
import { simulatorForTest } from '../../simulator/test/running.ts'

it('a gateway takes both forms at its listener for charges: entries as events of the charge, tokens as they are', async () => {
  const site = await createSite({
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      certificate: 'certs/server.crt',
      privateKey: 'certs/server.key',
      tokens: [{ environment: 'sandbox', tokenFile: 'token' }],
    },
  })
  const secret = randomBytes(32).toString('hex')
  writeFileSync(join(site.folder, 'token'), `${secret}\n`, { mode: 0o600 })
  const gateway = await startTestGateway(site)
  const running = await simulatorForTest({}, { receiverCaFile: receiverCaFile() })
  const sandbox = chargeClient(() => running, 'sandbox')
  const { tasks, applications } = running.simulator.sites.sandbox

  const notification_url = `https://localhost:${gateway.charges?.port}/charges/${secret}`
  const id = await sandbox.createCharge({ metadata: { notification_url } })
  await tasks.settled()
  const [{ clientId } = { clientId: '' }] = applications.list()
  await sandbox.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })
  await sandbox.call('PUT', `/charge/${id}/cancel`)
  await tasks.settled()

  const events = await allEvents(gateway.api)
  expect(events.map(({ kind, environment, subject, status }) => [kind, environment, subject, status])).toEqual([
    ['charge', 'sandbox', String(id), 'new'],
    ['charge', 'sandbox', expect.stringMatching(/^\S{8,}$/), null],
  ])
})
