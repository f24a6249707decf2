import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BASE_CALLBACKS, createSite, spawnGateway, startTestGateway } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { linesOf, portaria } from './program.ts'

/** Secrets as in an installation whose service is stopped: nothing has loaded its credentials. */
const WITH_CREDENTIALS = {
  chargeNotifications: {
    host: '127.0.0.1',
    port: 0,
    tokens: [{ environment: 'sandbox', tokenFile: 'credential:secrets_charge-token' }],
  },
  api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'credential:secrets_operator-token' },
  destinations: [{ name: 'app', url: 'https://app.example/', secretFile: 'credential:secrets_app' }],
}

/** Each with its exit code; none uses a secret of the configuration. In this order: later ones need what earlier ones made. */
const COMMANDS: readonly (readonly [number, string])[] = [
  [0, 'clients create --name shop --environment sandbox --scopes events.read'],
  [0, 'consumers list'],
  [0, 'destinations create http://127.0.0.1:1/ --name books'],
  [0, 'destinations pause books'],
  [0, 'events list'],
  [0, 'storage backup BACKUP'],
  [0, 'storage restore BACKUP --yes'],
  [0, 'storage verify'],
  [0, 'storage prune --dry-run'],
  [0, 'certs trust list'],
  [0, 'certs import CERTS/server.crt --key CERTS/server.key --dry-run --incomplete'],
  [0, 'config check'],
  // A production site with certificates of the test CA.
  [1, 'check'],
]

it('with credentials that no service has loaded, commands work as without', async () => {
  const folder = temporaryFolder()
  await (await startTestGateway(await createSite({}, folder))).stop()
  const site = await createSite(WITH_CREDENTIALS, folder)
  const results = []
  for (const [, line] of COMMANDS) {
    const args = line.replace('BACKUP', join(folder, 'backup.db')).replaceAll('CERTS', site.certs).split(' ')
    const { code, stderr } = await portaria(site, ...args)
    results.push([code, line, stderr.includes('credential') ? stderr : ''])
  }
  expect(results).toEqual(COMMANDS.map(([code, line]) => [code, line, '']))
})

it('check reports each credential that it could not look at, and how to load it', async () => {
  const findings = linesOf(await portaria(await createSite(WITH_CREDENTIALS), 'check', '--json'))
  const notChecked = findings.filter(({ found }) => /is not checked$/.test(String(found)))
  expect(notChecked.map(({ what, level }) => [what, level])).toEqual([
    ['api.operatorTokenFile', 'warning'],
    ['chargeNotifications.tokens', 'warning'],
    ['destinations.secretFile', 'warning'],
  ])
  expect(notChecked[0]?.nextStep).toMatch(/^systemd loads credentials when .*: systemctl restart portaria$/)
  expect(findings.filter(({ nextStep }) => String(nextStep).includes('/run/credentials'))).toEqual([])
})

it('check reports a secret that cannot be used as a problem, and everything else as well', async () => {
  const site = await createSite({ destinations: [{ name: 'app', url: 'https://127.0.0.1:1/', secretFile: 'none' }] })
  const findings = linesOf(await portaria(site, 'check', '--json'))
  expect(findings[0]).toMatchObject({
    area: 'configuration',
    what: 'secrets',
    level: 'problem',
    found: expect.stringMatching(/^destinations\[0\]\.secretFile \(line \d+\): names a file that cannot be read/),
  })
  expect(findings.map(({ area }) => area)).toContain('listeners')
})

it('serve names all missing secrets together, with 2', async () => {
  const { code, stderr } = await portaria(await createSite(WITH_CREDENTIALS), 'serve')
  expect(code).toBe(2)
  expect(stderr.match(/names a credential that is not loaded/g)).toHaveLength(3)
  expect(stderr).not.toContain('LoadCredential=')
})

it('a private key that no service has loaded is not checked, and serve says how to load it', async () => {
  const privateKey = 'credential:server-key'
  const site = await createSite({ callbacks: { ...BASE_CALLBACKS, privateKey } })
  const { code, stderr } = await portaria(site, 'serve')
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/callbacks\.privateKey .* not loaded: .*systemctl restart portaria\n$/),
  ])
  const findings = linesOf(await portaria(site, 'check', '--json'))
  expect(
    findings.filter(({ what }) => /^callbacks[.:]/.test(String(what))).map(({ what, code }) => [what, code]),
  ).toEqual([
    ['callbacks.privateKey', 'secrets.not_checked'],
    ['callbacks.certificate', 'files.good'],
  ])
})

it('a reload with a missing secret changes nothing', async () => {
  const site = await createSite({ destinations: [{ name: 'kept', url: 'https://kept.example/' }] })
  const gateway = await spawnGateway(site)
  const { api } = WITH_CREDENTIALS
  await createSite({ ...WITH_CREDENTIALS, api: { ...api, operatorTokenFile: 'operator-token' } }, site.folder)
  gateway.process.kill('SIGHUP')
  const line = await until(
    () => gateway.lines.find(({ event }) => event.startsWith('configuration.')),
    (found) => found !== undefined,
  )
  expect(line).toMatchObject({
    event: 'configuration.not_reloaded',
    details: [/not loaded/, /not loaded/].map(matching),
  })
  const [destination] = linesOf(await portaria(site, 'destinations', 'list', '--json'))
  expect(destination).toMatchObject({ name: 'kept', state: 'active' })
})

const matching = (expression: RegExp) => expect.stringMatching(expression)
