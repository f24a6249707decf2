import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSite, MAIN, startTestGateway, type TestSite } from '../support/gateway.ts'

/** The user `nobody` of every Linux, which has no permission for the site's files. */
const NOBODY = 65_534

function asOrdinaryUser(site: TestSite, line: string, environment: Readonly<Record<string, string>> = {}) {
  const env = { PORTARIA_CONFIG: site.configFile, ...environment }
  const options = { uid: NOBODY, gid: NOBODY, encoding: 'utf8', env } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...line.split(' ')], { ...options, cwd: '/' })
  return { status, said: `${stdout}${stderr}` }
}

/** With a configuration that everyone may read, as some write it. */
const COMMANDS = [
  'events list',
  'clients create --name shop --environment sandbox --scopes events.read',
  'destinations list',
  'storage stats',
  'storage verify',
  'storage prune',
  'storage confirm-loss --yes',
  'storage restore /etc/passwd --yes',
  'certs show',
  'certs trust list',
  'config check',
  'serve',
]

describe.skipIf(process.getuid?.() !== 0)('an ordinary user (as root)', () => {
  it('who may not read the configuration gets the advice to use another user', async () => {
    const site = await createSite()
    for (const line of ['events list', 'check', 'config check', 'serve']) {
      const { status, said } = asOrdinaryUser(site, line)
      expect(status, said).not.toBe(0)
      expect(said).toMatch(
        /portaria\.yaml cannot be read: this user may not read it: run this command as .* or as root/,
      )
    }
  })

  it('who may not read keys, database and socket gets the same advice, and never that of another mode', async () => {
    const site = await createSite()
    const gateway = await startTestGateway(site)
    chmodSync(site.folder, 0o755)
    chmodSync(site.certs, 0o700)
    chmodSync(join(site.folder, 'data'), 0o700)
    for (const line of COMMANDS) {
      const { status, said } = asOrdinaryUser(site, line)
      expect(status, said).not.toBe(0)
      expect(said, line).toMatch(/run this command as .*, or as root/)
      expect(said, line).not.toMatch(/chmod|its mode|permissions/)
    }
    await gateway.stop()
  })

  it('who may only read the database folder gets it, too', async () => {
    const site = await createSite()
    await (await startTestGateway(site)).stop()
    const data = join(site.folder, 'data')
    for (const folder of [site.folder, data]) chmodSync(folder, 0o755)
    for (const file of readdirSync(data)) chmodSync(join(data, file), 0o644)
    const { said } = asOrdinaryUser(site, 'events list')
    expect(said).toMatch(/this user may not write to it or to its folder: run this command as .*, or as root\n$/)
  })

  it('who may not read the files gets no other next step from check', async () => {
    const site = await createSite()
    await (await startTestGateway(site)).stop()
    chmodSync(site.folder, 0o755)
    for (const folder of ['certs', 'data']) chmodSync(join(site.folder, folder), 0o700)
    const { said } = asOrdinaryUser(site, 'check --json')
    expect(said).toContain('"nextStep":"follow that advice"')
    expect(said).not.toMatch(/"nextStep":"[^"]*(certs import|trust stage|restore a backup)/)
  })

  it('who may not read the operator token gets no advice to replace it', async () => {
    const site = await createSite()
    chmodSync(site.folder, 0o755)
    const { said } = asOrdinaryUser(site, 'check')
    expect(said).toMatch(
      /operator-token cannot be read: .*\n *→ run this command as .*, or as root \(operator_token\.unusable\)/,
    )
    expect(said).not.toContain('openssl rand')
  })

  it('who may not see the credentials of the service gets the same advice, not that the unit lacks them', async () => {
    const site = await createSite({ api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'credential:token' } })
    chmodSync(site.folder, 0o755)
    const folder = join(site.folder, 'credentials')
    mkdirSync(folder, { mode: 0o500 })
    const { said } = asOrdinaryUser(site, 'config check', { CREDENTIALS_DIRECTORY: folder })
    expect(said).toMatch(/api\.operatorTokenFile .* cannot be read: .* run this command as .*, or as root/)
    expect(said).not.toContain('LoadCredential')
  })
})
