import { chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withControl } from '../../src/cli/control-client.ts'
import { giveToFolderOwner } from '../../src/cli/new-files.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { openControl } from '../../src/gateway/control.ts'
import { createSite, recordingLog } from '../support/gateway.ts'
import { databaseFile } from '../support/store.ts'

const log = recordingLog([])

it('two commands do not share a database: the second waits, and the first gives it back', async () => {
  const config = loadConfig((await createSite()).configFile)
  const control = await openControl(config, log)
  await expect(openControl(config, log)).rejects.toMatchObject({ code: 'store_locked' })
  await control.stop()
  await (await openControl(config, log)).stop()
})

/** No one's in particular. */
const OTHER = 12_345

it.skipIf(process.geteuid?.() !== 0)(
  'what root makes while no gateway runs belongs to whom the folder belongs to (as root)',
  async () => {
    const file = databaseFile(loadConfig((await createSite()).configFile))
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
