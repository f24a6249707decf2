import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { VERSION } from '../../../src/platform/version.ts'
import { builtPackages } from '../../support/built-packages.ts'
import { createSite, followGateway, type TestSite } from '../../support/gateway.ts'
import { postgresPrograms, type PostgresServer, siteOn, startPostgres } from '../../support/postgres.ts'
import { expectStoredAndDelivered } from '../../support/stored-and-delivered.ts'

/** The Debian package and the image on each store: deb.test.ts, image.test.ts. */
const work = mkdtempSync(join(tmpdir(), 'portaria-packages-'))
let dist: string
let server: PostgresServer

beforeAll(async () => {
  dist = await builtPackages()
  server = await startPostgres()
}, 600_000)

afterAll(async () => {
  await server?.stop()
  rmSync(work, { recursive: true })
})

/** How each is installed; the command. */
const INSTALLED: Readonly<Record<string, (folder: string) => string>> = {
  tarball(folder) {
    const name = `portaria-${VERSION}-linux-${process.arch}`
    execFileSync('tar', ['-xzf', join(dist, `${name}.tar.gz`), '-C', folder])
    return join(folder, name, 'portaria')
  },
  'npm package'(folder) {
    const archive = join(dist, `portaria-${VERSION}.tgz`)
    execFileSync('npm', ['init', '--yes'], { cwd: folder, stdio: 'ignore' })
    execFileSync('npm', ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', archive], { cwd: folder })
    return join(folder, 'node_modules/.bin/portaria')
  },
}

const STORES: Readonly<Record<string, () => Promise<TestSite>>> = {
  SQLite: () => createSite(),
  PostgreSQL: () => siteOn(server),
}

describe.skipIf(postgresPrograms() === null).each(Object.entries(INSTALLED))('the %s', (name, install) => {
  let command: string
  beforeAll(() => {
    const folder = join(work, name)
    mkdirSync(folder)
    command = install(folder)
  })

  it.each(Object.entries(STORES))('starts on %s, stores a callback and delivers it', async (_, makeSite) => {
    const site = await makeSite()
    const started = spawn(command, ['serve', '--config', site.configFile], { stdio: ['ignore', 'ignore', 'pipe'] })
    await expectStoredAndDelivered({ ...(await followGateway(started)), site })
  })
})
