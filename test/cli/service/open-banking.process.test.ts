import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { portaria } from '../program.ts'
import { createServiceSite, type ServiceSite } from './service-site.ts'

const BACK = 'https://shop.example/back'

function openBanking({ site }: ServiceSite, verb: string, ...args: string[]) {
  return portaria(site, 'service', 'open-banking', verb, '--environment', 'sandbox', ...args)
}

const set = (at: ServiceSite, ...args: string[]) => openBanking(at, 'set', ...at.checkOptions, ...args)

/** The settings that the simulator has. */
async function held({ running }: ServiceSite) {
  const { status, json } = await running.ask('open-banking', { path: '/v1/config' })
  return status === 404 ? null : json
}

it('open-banking settings are shown, set and read back; the account is warned about', async () => {
  const at = await createServiceSite()
  const webhookURL = `${at.publicUrl}/callbacks/open-banking`

  const none = await openBanking(at, 'show')
  expect([none.code, none.stdout]).toEqual([0, 'nothing is set yet\n'])
  const incomplete = await set(at, '--yes')
  expect([incomplete.code, incomplete.stderr]).toEqual([2, expect.stringContaining('give --redirect-url')])

  const dry = await set(at, '--redirect-url', BACK, '--dry-run', '--json')
  expect([dry.code, JSON.parse(dry.stdout)]).toMatchObject([0, { outcome: 'would_set', settings: { webhookURL } }])
  expect(await held(at)).toBeNull()

  const done = await set(at, '--redirect-url', BACK, '--process-payment', 'sync', '--yes')
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('✓ set: the service has these settings')])
  expect(done.stderr).toContain('warning: receberSemChave of the account is false: with open banking it should be true')
  expect(await held(at)).toMatchObject({ redirectURL: BACK, webhookURL, webhookSecurity: { type: 'mtls' } })

  const body = { pix: { receberSemChave: true } }
  await at.running.ask('account', { method: 'PUT', path: '/v2/svc/config', body })
  const shown = await openBanking(at, 'show', '--json')
  expect(JSON.parse(shown.stdout)).toEqual({
    institution: null,
    environment: 'sandbox',
    receberSemChave: true,
    warning: null,
    settings: { redirectURL: BACK, webhookURL, webhookSecurity: { type: 'mtls' }, generateTxIdForInic: false },
  })

  const [application] = at.running.simulator.sites.sandbox.applications.list()
  const scopes = application?.scopes.filter((scope) => scope !== 'svc.settings.read')
  await at.running.control('PUT', `/applications/${application?.clientId}/scopes`, { scopes })
  const unread = await openBanking(at, 'show')
  expect([unread.code, unread.stdout]).toEqual([0, expect.stringContaining(webhookURL)])
  expect(unread.stderr).toMatch(/receberSemChave of the account could not be read .* the scope svc\.settings\.read/)
})

it('the address of somebody else is replaced only by its name; a hash is read from a file and never shown', async () => {
  const at = await createServiceSite()
  const foreign = 'https://other.example/open-banking'
  const { status } = await at.running.ask('open-banking', {
    method: 'PUT',
    path: '/v1/config',
    body: {
      redirectURL: BACK,
      webhookURL: foreign,
      webhookSecurity: { type: 'hmac', hash: 'theirs' },
      generateTxIdForInic: true,
    },
  })
  expect(status).toBe(201)

  const guarded = await set(at, '--yes')
  expect([guarded.code, guarded.stderr]).toEqual([1, expect.stringContaining(`add --replace ${foreign}`)])
  const wrong = await set(at, '--yes', '--replace', 'https://typo.example/')
  expect(wrong.code).toBe(1)
  expect(await held(at)).toMatchObject({ webhookURL: foreign })

  const hashFile = join(at.site.folder, 'hash')
  writeFileSync(hashFile, 'a-secret-hash\n')
  const replaced = await set(at, '--yes', '--replace', foreign, '--security', 'hmac', '--hash-file', hashFile)
  expect([replaced.code, replaced.stdout]).toEqual([0, expect.stringContaining('✓ set')])
  expect(`${replaced.stdout}${replaced.stderr}`).not.toMatch(/a-secret-hash|theirs/)
  expect(await held(at)).toMatchObject({
    redirectURL: BACK,
    webhookURL: `${at.publicUrl}/callbacks/open-banking`,
    webhookSecurity: { type: 'hmac', hash: 'a-secret-hash' },
    generateTxIdForInic: true,
  })

  for (const args of [
    ['--security', 'hmac'],
    ['--hash-file', hashFile],
    ['--security', 'none'],
  ])
    expect((await set(at, '--yes', ...args)).code, args.join(' ')).toBe(2)
})
