import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { loadConfig } from '../../../src/config/load-config.ts'
import type { WebhookInterface } from '../../../src/service/webhooks.ts'
import { type Ended, portaria } from '../program.ts'
import { createServiceSite, type ServiceSite, serviceEntry } from './service-site.ts'

function webhooks({ site }: ServiceSite, verb: string, on: string, ...args: string[]): Promise<Ended> {
  return portaria(site, 'service', 'webhooks', verb, '--environment', 'homologacao', '--interface', on, ...args)
}

const create = (at: ServiceSite, on: string, ...args: string[]) =>
  webhooks(at, 'create', on, ...at.checkOptions, ...args)

/** The addresses that the simulator has, in the order in which they were registered. */
function registered({ running }: ServiceSite, on: WebhookInterface): string[] {
  const list = running.simulator.sites.sandbox.webhooks.registered.list()
  return list.filter((webhook) => webhook.interface === on).map(({ url }) => url)
}

function registerForeign({ running }: ServiceSite, on: WebhookInterface, url: string): void {
  const [application] = running.simulator.sites.sandbox.applications.list()
  running.simulator.sites.sandbox.webhooks.register({ interface: on, account: application?.account ?? '', url })
}

describe('service webhooks create', () => {
  it.each(['registration', 'payment'] as const)('at %s registers, lists and deletes the address', async (on) => {
    const at = await createServiceSite()
    const url = `${at.publicUrl}/callbacks/${on}`
    const dry = await create(at, on, '--dry-run')
    expect([dry.code, dry.stdout, dry.stderr]).toEqual([
      0,
      `  register  ${url}\nonly shown, nothing was changed\n`,
      expect.any(String),
    ])
    expect(registered(at, on)).toEqual([])

    const done = await create(at, on, '--yes')
    expect([done.code, done.stdout]).toEqual([
      0,
      `  register  ${url}\n✓ registered: the list of the service has the address\n`,
    ])
    expect(registered(at, on)).toEqual([url])

    const again = await create(at, on, '--json')
    expect([again.code, JSON.parse(again.stdout)]).toEqual([
      0,
      expect.objectContaining({ environment: 'sandbox', interface: on, outcome: 'already', url, replaced: [] }),
    ])

    const listed = await webhooks(at, 'list', on, '--json')
    expect([listed.code, JSON.parse(listed.stdout)]).toEqual([0, expect.objectContaining({ url, kind: on })])

    const removed = await webhooks(at, 'delete', on, '--yes', '--json')
    expect([removed.code, JSON.parse(removed.stdout)]).toEqual([
      0,
      { institution: null, environment: 'sandbox', interface: on, urls: [url], outcome: 'deleted' },
    ])
    expect(registered(at, on)).toEqual([])
    const none = await webhooks(at, 'delete', on, '--yes')
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('the service has no address of this gateway')])
  })

  it.each(['registration', 'payment'] as const)(
    'at %s moves its own older address, leaves foreign ones alone, and replaces the one that is named',
    async (on) => {
      const at = await createServiceSite()
      const own = `${at.publicUrl}/callbacks/${on}`
      const [foreign, further] = ['https://other.example/hook', 'https://other.example/further']
      for (const url of [`${own}?old=1`, foreign, further]) registerForeign(at, on, url)

      const first = await create(at, on, '--yes')
      expect([first.code, first.stdout]).toEqual([
        0,
        `  register  ${own}\n` +
          `  delete    ${own}?old=1 (ours, kind ${on})\n` +
          `  keep      ${foreign} (not ours): the service calls it too\n` +
          `  keep      ${further} (not ours): the service calls it too\n` +
          '✓ registered: the list of the service has the address\n',
      ])
      expect(registered(at, on)).toEqual([foreign, further, own])

      const wrong = await create(at, on, '--replace', 'https://typo.example/', '--query', 'a=b', '--yes')
      expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('the service does not have this address')])
      expect(registered(at, on)).toEqual([foreign, further, own])

      const second = await create(at, on, '--replace', foreign, '--yes', '--json')
      expect([second.code, JSON.parse(second.stdout)]).toMatchObject([
        0,
        { outcome: 'already', replaced: [{ url: foreign, kind: null }], kept: [{ url: further }] },
      ])
      expect(registered(at, on)).toEqual([further, own])
    },
  )

  it('shows the exact URL with suffix and query, asks without --yes, and changes nothing without an answer', async () => {
    const at = await createServiceSite()
    const { code, stdout, stderr } = await create(at, 'payment', '--suffix', '/pix', '--query', 'hmac=a%20b')
    expect([code, stdout]).toEqual([2, `  register  ${at.publicUrl}/callbacks/payment/pix?hmac=a%20b\n`])
    expect(stderr).toContain(
      'Make this change at the service (sandbox, payment)? There is no terminal for an answer: add --yes',
    )
    expect(registered(at, 'payment')).toEqual([])
  })

  it('finds in the list whether a registration was made whose answer was lost, also where the clock of the service is ahead', async () => {
    const at = await createServiceSite()
    await at.running.control('POST', '/clock/advance', { by: '400d' })
    await at.running.control('POST', '/faults', {
      on: 'api',
      fault: 'cut_after_request',
      interface: 'registration',
      method: 'POST',
      path: '/v1/webhook',
    })
    const { code, stdout } = await create(at, 'registration', '--yes')
    expect([code, stdout]).toEqual([0, expect.stringContaining('✓ registered')])
    expect(registered(at, 'registration')).toHaveLength(1)
  })

  it('fails where the service accepts an address but does not have it afterwards, or gave up another one for it', async () => {
    const at = await createServiceSite()
    const { webhooks: service } = at.running.simulator.sites.sandbox
    const foreign = 'https://other.example/hook'
    registerForeign(at, 'payment', foreign)

    const forgetful = vi.spyOn(service, 'register').mockImplementationOnce((one) => ({ id: '1', createdAt: 0, ...one }))
    const forgotten = await create(at, 'payment', '--yes')
    expect(forgetful).toHaveBeenCalledOnce()
    expect([forgotten.code, forgotten.stderr]).toEqual([1, expect.stringContaining('but its list does not have it')])

    forgetful.mockRestore()
    const register = service.register.bind(service)
    vi.spyOn(service, 'register').mockImplementationOnce((one) => {
      for (const { id } of service.registered.list()) service.registered.delete(id)
      return register(one)
    })
    const overwritten = await create(at, 'payment', '--yes')
    expect([overwritten.code, overwritten.stderr]).toEqual([1, expect.stringContaining(`it no longer has ${foreign}`)])
  })

  it('refuses an environment without a chain of the service, before anything is called', async () => {
    const at = await createServiceSite({ environments: [] })
    const { code, stderr } = await create(at, 'payment', '--yes')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^portaria: no chain of the service is installed for sandbox: .* certs trust stage FILE/m),
    ])
    expect(at.gateway.lines.filter(({ event }) => event === 'caller.refused')).toEqual([])
    expect(registered(at, 'payment')).toEqual([])
  })

  it('stops at a problem of the address check, with its next step', async () => {
    const at = await createServiceSite()
    await at.gateway.stop()
    const { code, stderr } = await create(at, 'payment', '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('found a problem: nothing was changed at the service')])
    expect(stderr).toContain('(outside.unreachable)')
    expect(registered(at, 'payment')).toEqual([])
  })
})

describe('a refusal of the service is shown with its cause and the next step', () => {
  it('of the address: the gateway refused the certificate of the service, because another chain is installed', async () => {
    const at = await createServiceSite()
    const { production } = at.running.simulator.folder.environments
    cpSync(production.chainFile, join(at.site.certs, 'trust/sandbox/simulator.pem'))
    await at.gateway.reload(loadConfig(at.site.configFile))
    const { code, stderr } = await create(at, 'registration', '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('HTTP 400 url_falhou_com_erro')])
    expect(stderr).toContain('refusals list shows why the gateway refused it')
    expect(registered(at, 'registration')).toEqual([])
  })

  it('of credentials, of a scope, of an address that is no service, and of an environment that is not configured', async () => {
    const at = await createServiceSite()
    const { site, running } = at
    const entry = serviceEntry(site, running)
    const [application] = running.simulator.sites.sandbox.applications.list()
    const list = () => webhooks(at, 'list', 'payment')

    const scopes = application?.scopes.filter((scope) => scope !== 'payment.webhook.read')
    await running.control('PUT', `/applications/${application?.clientId}/scopes`, { scopes })
    const scope = await list()
    expect([scope.code, scope.stderr]).toEqual([1, expect.stringContaining('misses the scope payment.webhook.read')])

    writeFileSync(join(site.folder, entry.clientSecret), 'wrong\n')
    const secret = await list()
    expect([secret.code, secret.stderr]).toEqual([1, expect.stringMatching(/401.*clientSecret/s)])
    expect(secret.stderr).not.toContain('wrong')

    const elsewhere = `https://127.0.0.1:${at.gateway.api.port}/payment`
    at.configure({ service: [{ ...entry, baseAddresses: { payment: elsewhere } }] })
    const address = await list()
    expect([address.code, address.stderr]).toEqual([1, expect.stringContaining('the base address')])

    at.configure({ service: [] })
    const missing = await list()
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('has no entry for sandbox under service'),
    ])
  })

  it('that asks to wait is waited for', async () => {
    const at = await createServiceSite()
    await at.running.control('POST', '/faults', { on: 'api', fault: 'rate_limited', interface: 'payment', count: 2 })
    const { code, stdout } = await webhooks(at, 'list', 'payment')
    expect([code, stdout]).toEqual([0, expect.stringContaining('the service has no address')])
  })
})
