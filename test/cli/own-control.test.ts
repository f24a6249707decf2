import { chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withControl } from '../../src/cli/control-client.ts'
import { giveToFolderOwner } from '../../src/cli/new-files.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { openControl } from '../../src/gateway/control.ts'
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

/** Nobody's in particular. */
const OTHER = 12_345

it.skipIf(process.geteuid?.() !== 0)(
  'what root makes while no gateway runs belongs to whom the folder belongs to (as root)',
  async () => {
    const { file } = loadConfig((await createSite()).configFile).storage
    const folder = join(file, '..')
    mkdirSync(folder, { recursive: true })
    chownSync(folder, OTHER, OTHER)
    await withControl(loadConfig(join(folder, '../portaria.yaml')), (call) => call('GET', '/v1/destinations'))
    const owners = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).uid])
    expect(owners).toEqual(expect.arrayContaining([['portaria.db', OTHER]]))
    expect(owners.filter(([, uid]) => uid !== OTHER)).toEqual([])

    const elsewhere = join(folder, '../elsewhere')
    writeFileSync(elsewhere, '')
    symlinkSync(elsewhere, `${file}-wal`)
    giveToFolderOwner(file)
    expect(statSync(elsewhere).uid).toBe(0)
  },
)
