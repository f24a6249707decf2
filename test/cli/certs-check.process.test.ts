import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COMMAND } from '../../src/platform/installation.ts'
import { pkcs12Of } from '../certificates/files/bundles.ts'
import { createSite, MAIN } from '../support/gateway.ts'
import { inShell, linesOf, portaria } from './program.ts'

const hasScript = spawnSync('script', ['--version']).status === 0

it('certs check is content where everything lasts, before the first start too; --days asks for more', async () => {
  const site = await createSite()
  const { code, stdout } = await portaria(site, 'certs', 'check')
  const [header, ...rows] = stdout.trimEnd().split('\n')
  expect(header).toMatch(/^set +where +subject +issuer +expires +days left +state$/)
  expect(rows[0]).toMatch(/^server +\/\S+\/certs\/server\.crt +CN=.* +\d{4}-\d\d-\d\d +8\d\d +valid$/)
  expect(rows.filter((row) => row.startsWith('service-chain')).length).toBeGreaterThan(1)
  expect(code).toBe(0)

  const asked = await portaria(site, 'certs', 'check', '--days', '900', '--limit', '1', '--json')
  expect(linesOf(asked)).toMatchObject([{ set: 'server', state: 'expiring', problem: null }])
  expect(asked.code).toBe(1)
})

it.skipIf(!hasScript)(
  'certs check keeps dates and states in a narrow terminal, and names what is left out (with script)',
  async () => {
    const site = await createSite()
    const command = `"${process.execPath}" "${MAIN}" certs check`
    const { stdout } = await inShell(site, `script -qec 'stty cols 48; ${command}' /dev/null </dev/null`)
    const lines = stdout.trimEnd().split('\r\n')
    expect(lines[0]).toMatch(/^where +subject +expires +state$/)
    expect(lines[1]).toMatch(/ {2}20\d\d-\d\d-\d\d {2}valid$/)
    expect(Math.max(...lines.slice(0, -1).map((line) => line.length))).toBeLessThanOrEqual(48)
    expect(lines.at(-1)).toBe('(too narrow for: set, issuer, days left; --json shows all)')
  },
)

it('certs check names a file that cannot be read, and is not content', async () => {
  const site = await createSite()
  writeFileSync(join(site.certs, 'trust/sandbox.pem'), 'garbage')
  const { code, stdout } = await portaria(site, 'certs', 'check')
  expect(stdout).toMatch(/service-chain +\S+sandbox\.pem +\S+sandbox\.pem contains no certificate.* +unreadable$/m)
  expect(code).toBe(1)
})

it('certs check names the command that imports a .p12 in the place of a certificate', async () => {
  const site = await createSite()
  const file = join(site.certs, 'server.crt')
  writeFileSync(file, await pkcs12Of(readFileSync(file, 'utf8'), readFileSync(join(site.certs, 'server.key'), 'utf8')))
  const { code, stdout } = await portaria(site, 'certs', 'check')
  expect(stdout).toContain(`"${COMMAND} certs import ${file} --for callbacks"`)
  expect(code).toBe(1)
})

it('certs check is wrong usage with a number of days that is none', async () => {
  expect(await portaria(await createSite(), 'certs', 'check', '--days', 'soon')).toMatchObject({ code: 2, stdout: '' })
})
