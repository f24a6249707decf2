import { spawn } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inject, it } from 'vitest'
import { makeProgramTree } from '../../packaging/program-tree.ts'
import { ROOT } from '../../src/platform/program-files.ts'
import { followGateway } from '../support/gateway.ts'
import { siteOn } from '../support/postgres.ts'
import { expectStoredAndDelivered } from '../support/stored-and-delivered.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { describePostgres } from '../support/with-postgres.ts'

/** The packages themselves, on each store: test/nightly/packages. */
describePostgres('the files of a package', (server) => {
  it('start on PostgreSQL, store a callback and deliver it', async () => {
    const target = join(temporaryFolder(), 'package')
    const code = dirname(inject('bundledMain') as string)
    makeProgramTree({ target, code, build: { installed: 'npm', commit: null }, architecture: null })
    // What npm brings.
    symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'))
    const site = await siteOn(server)
    const command = [join(target, 'bin/portaria'), 'serve', '--config', site.configFile] as const
    const gateway = await followGateway(spawn(command[0], command.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] }))
    await expectStoredAndDelivered({ ...gateway, site })
  })
})
