import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../src/config/load-config.ts'
import { linesOf, portaria } from '../program.ts'
import { createServiceSite, serviceEntry } from './service-site.ts'

it('service status shows what the service accepts: beside the gateway, before a reload, and without a gateway', async () => {
  const at = await createServiceSite()
  const { site, gateway, running } = at
  const status = (...args: string[]) => portaria(site, 'service', 'status', ...args)
  const accepted = { failing: false, lastSuccessAt: expect.any(String), lastFailure: null }
  const names = ['account', 'payment', 'registration', 'openBanking', 'charges']
  const whole = {
    environment: 'sandbox',
    certificate: { subject: expect.stringContaining('CN='), notAfter: expect.any(String), problem: null },
    interfaces: names.map((name) => expect.objectContaining({ interface: name, ...accepted })),
    resolveTokens: true,
    notificationBudget: { limit: 30_000, used: 0, left: 30_000 },
    waitingTokens: { count: 0, oldestAt: null },
  }

  const before = await status('--json')
  expect([before.code, linesOf(before)]).toMatchObject([0, [whole]])
  expect(before.stderr).toContain('the running gateway has no entry for sandbox under service yet')

  await gateway.reload(loadConfig(site.configFile))
  const beside = await status('--json')
  expect([beside.code, beside.stderr, linesOf(beside)]).toMatchObject([0, '', [whole]])

  writeFileSync(join(site.folder, serviceEntry(site, running).clientSecret), 'wrong\n')
  const refused = await status()
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringMatching(/^payment +refused /m)])
  expect(refused.stdout).toMatch(/✗ .*clientSecret/)
  expect(refused.stdout).toMatch(/30000 of 30000 left today, 0 taken/)

  serviceEntry(site, running)
  await gateway.stop()
  const alone = await status('--json')
  expect([alone.code, alone.stderr, linesOf(alone)]).toMatchObject([0, '', [whole]])

  at.configure({ service: [] })
  const none = await status()
  expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('no environment has an entry under service')])
})

it('service status ends at its time limit, also where the service sends its answer without an end', async () => {
  const at = await createServiceSite()
  await at.gateway.stop()
  const file = (name: string) => join(at.site.certs, name)
  const own = { cert: readFileSync(file('server.crt')), key: readFileSync(file('server.key')) }
  const endless = createServer(own, (_request, response) => {
    response.writeHead(200).write('{')
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
  await once(endless.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => endless.close().closeAllConnections())
  const { port } = endless.address() as AddressInfo
  const baseAddresses = { charges: `https://localhost:${port}` }
  at.configure({
    service: [{ ...serviceEntry(at.site, at.running), baseAddresses, authorities: file('server-ca.crt') }],
  })
  const ended = await portaria(at.site, 'service', 'status', '--timeout', '1', '--json')
  expect(ended.stderr).toBe('')
  const [{ interfaces } = { interfaces: [] }] = linesOf<{ interfaces: { lastFailure: { error: string } }[] }>(ended)
  expect([ended.code, interfaces]).toMatchObject([0, [{ interface: 'charges', lastFailure: { code: 'timeout' } }]])
  // A token is asked for within nine tenths of the limit.
  expect(interfaces[0]?.lastFailure.error).toMatch(/gave no answer within (0\.9|1) s/)
})
