import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Realm } from '../../src/domain/realm.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aCallback, aDestination, aFact, aHeldCallback, aRefusal, NOON } from '../support/builders.ts'
import { createSite } from '../support/gateway.ts'
import { indexAll } from '../support/search.ts'
import { linesOf, portaria } from './program.ts'

/** With an event, a fact in quarantine and a refusal of the unnamed institution, and of two environments of bank-a. Each subject is a realm. */
async function siteWithBank() {
  const bank = {
    name: 'bank-a',
    trust: [{ environment: 'production', chain: 'certs/trust/bank-a.pem' }],
    kinds: { payment: { path: '/bank-a/payment' } },
  }
  const site = await createSite({ institutions: [bank] })
  const store = await openStore({
    file: join(site.folder, 'data/portaria.db'),
    deduplicationWindowMs: 86_400_000,
    queue: { events: 5000, bytes: 1 << 26 },
  })
  const realms: Realm[] = ['production', 'bank-a/production', 'bank-a/sandbox']
  for (const environment of realms) {
    const text = `{"nome":"ana","identificador":"${environment}"}`
    await store.storeCallback(aCallback({ text, environment, facts: [aFact({ subject: environment })] }))
    await store.storeCallback(aHeldCallback('{"txid":"T","account":"theirs"}', [], { environment }))
  }
  const refusals = realms.map((environment) => aRefusal({ environment, detail: environment }))
  await store.recordRefusals({ refusals, probes: [] })
  await store.createDestination(aDestination(), NOON)
  await indexAll(store)
  await store.close()
  return site
}

const realmsOf = (lines: readonly Record<string, unknown>[]) =>
  lines.map(({ institution, environment }) => [institution, environment])

it('every list has the institution, in its rows and in JSON, and takes it as a filter', async () => {
  const site = await siteWithBank()
  const lists = [
    ['events', 'list'],
    ['events', 'find', 'ana'],
    ['quarantine', 'list'],
    ['refusals', 'list'],
  ]
  for (const list of lists) {
    const [table, json, sandbox] = await Promise.all([
      portaria(site, ...list),
      portaria(site, ...list, '--json', '--institution', 'bank-a'),
      portaria(site, ...list, '--json', '--institution', 'bank-a', '--environment', 'sandbox'),
    ])
    expect(table.stdout.split('\n')[0]?.split(/ {2,}/), list.join(' ')).toContain('environment')
    expect(table.stdout.match(/ (?:bank-a\/)?(?:production|sandbox) {2}/g)?.map((cell) => cell.trim())).toEqual(
      expect.arrayContaining(['bank-a/sandbox', 'bank-a/production', 'production']),
    )
    const [production, other] = [
      ['bank-a', 'production'],
      ['bank-a', 'sandbox'],
    ] // newest first
    expect(realmsOf(linesOf(json)), list.join(' ')).toEqual([other, production])
    expect(realmsOf(linesOf(sandbox)), list.join(' ')).toEqual([other])
  }
  const counted = await portaria(
    site,
    ...['replays', 'create', '--destination', 'books', '--mode', 'all', '--institution', 'bank-a', '--dry-run'],
  )
  expect(counted.stdout).toBe('2 events for books\n')
  const exported = await portaria(site, 'storage', 'export', '--institution', 'bank-a', '--environment', 'producao')
  expect(realmsOf(linesOf(exported))).toEqual([['bank-a', 'production']])
})

it('an institution that there is not has nothing, as a hint says; what is final refuses it', async () => {
  const site = await siteWithBank()
  const named = (...command: string[]) => portaria(site, ...command, '--institution', 'bank-b')
  expect(await named('events', 'list')).toMatchObject({ code: 0, stderr: "no event has institution 'bank-b'\n" })
  expect(await named('quarantine', 'list')).toMatchObject({
    code: 0,
    stderr: "no quarantined fact has institution 'bank-b'\n",
  })
  expect(await named('refusals', 'list')).toMatchObject({ code: 0, stdout: 'no refusals\n' })
  const counted = await named('replays', 'create', '--destination', 'books', '--dry-run')
  expect(counted).toMatchObject({ code: 0, stdout: '0 events for books\n' })
  expect(await named('storage', 'redact', '--subject', '1', '--yes')).toMatchObject({
    code: 2,
    stderr: 'portaria: there is no institution "bank-b"; did you mean "bank-a"?\n',
  })
  // An institution that only old events have is known, too.
  await createSite({}, site.folder)
  const former = await portaria(site, 'events', 'list', '--json', '--institution', 'bank-a')
  expect(former.stdout.split('\n')).toHaveLength(3)
})

it('a subject is redacted in one institution alone', async () => {
  const site = await siteWithBank()
  const args = ['storage', 'redact', '--subject', 'T', '--institution', 'bank-a']
  const counted = await portaria(site, ...args, '--environment', 'sandbox', '--dry-run')
  expect(counted.stdout).toBe('T of bank-a in sandbox: events: 0, facts that are or were in quarantine: 1\n')
  const redacted = await portaria(site, ...args, '--yes')
  expect(redacted.stdout).toMatch(/^redacted T of bank-a: events: 0, facts that are or were in quarantine: 2;/)
  const left = linesOf(await portaria(site, 'quarantine', 'list', '--json', '--state', 'quarantined'))
  expect(realmsOf(left)).toEqual([[null, 'production']])
})

it('destinations take the institutions whose events they get', async () => {
  const site = await siteWithBank()
  const run = (...args: string[]) => portaria(site, 'destinations', ...args)
  const wrong = await run('create', 'https://localhost/', '--institution', 'bank-b')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('/institutions/0: one of bank-a')])
  const updated = await run('update', 'books', '--institution', 'bank-a', '--json')
  expect([updated.stderr, linesOf(updated)]).toMatchObject(['', [{ institutions: ['bank-a'] }]])
  const cell = async () => (await run('list')).stdout.split('\n')[1]?.split(/ {2,}/)[6]
  expect(await cell()).toBe('bank-a')
  await run('update', 'books', '--environment', 'sandbox')
  expect(await cell()).toBe('bank-a/sandbox')
  await run('update', 'books', '--reset', 'institution')
  expect(await cell()).toBe('sandbox')
})
