import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { openControl } from '../../src/gateway-control.ts'
import { createSite, recordingLog } from '../support/gateway.ts'

const log = recordingLog([])

it('a command that cannot open its own socket gives the database back', async () => {
  const site = await createSite()
  const config = loadConfig(site.configFile)

  await expect(openControl(config, join(site.folder, 'x'.repeat(108)), log)).rejects.toMatchObject({
    code: 'listen_failed',
  })
  const control = await openControl(config, join(site.folder, 'own.sock'), log)
  await control.stop()
})
