import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allEvents } from '../../support/calls.ts'
import { MAIN } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { type Ended, linesOf, portaria } from '../program.ts'
import { createServiceSite, type ServiceSite } from './service-site.ts'

const ELSEWHERE = 'http://127.0.0.1:9/charges/somewhere-else'

function charges({ site }: ServiceSite, ...args: string[]) {
  const fixed = ['--environment', 'sandbox', '--rate', '500']
  return portaria(site, 'service', 'charges', 'set-notification-url', ...fixed, ...args)
}

async function createCharge({ running }: ServiceSite, notification_url: string | null): Promise<string> {
  const body = { items: [{ name: 'Book', value: 15010 }], metadata: { notification_url } }
  const { json } = await running.ask('charges', { method: 'POST', path: '/v1/charge', body })
  return String(json.data.charge_id)
}

async function urlOf({ running }: ServiceSite, id: string): Promise<string | null> {
  return (await running.ask('charges', { path: `/v1/charge/${id}` })).json.data.notification_url
}

/** Charges whose notifications the gateway has stored, and which have an old address of the gateway since. */
async function knownCharges(at: ServiceSite, count: number): Promise<string[]> {
  const current = `${at.chargesUrl}/charges/${at.chargeToken}`
  const ids = await Promise.all(Array.from({ length: count }, () => createCharge(at, current)))
  await until(async () => (await allEvents(at.gateway.api)).length >= count)
  for (const id of ids)
    await at.running.ask('charges', {
      method: 'PUT',
      path: `/v1/charge/${id}/metadata`,
      body: { notification_url: ELSEWHERE },
    })
  return ids
}

it('charges of events, of a file and of one id get the address of the gateway', async () => {
  const at = await createServiceSite()
  const url = `${at.chargesUrl}/charges/${at.chargeToken}`
  const known = await knownCharges(at, 3)
  const unknown = await createCharge(at, ELSEWHERE)
  const report = join(at.site.folder, 'moved.jsonl')

  const dry = await charges(at, '--all', '--dry-run', '--report', report)
  expect([dry.code, dry.stdout]).toEqual([0, '3 would be changed\n'])
  const asked = await charges(at, '--all', '--report', report)
  expect([asked.code, asked.stderr]).toEqual([
    2,
    expect.stringContaining('Set the notification_url of up to 3 charges (sandbox) to https://localhost'),
  ])
  expect(await urlOf(at, known[0] as string)).toBe(ELSEWHERE)

  const done = await charges(at, '--all', '--report', report, '--yes')
  expect([done.code, done.stdout]).toEqual([0, '3 changed\n'])
  expect(await Promise.all(known.map((id) => urlOf(at, id)))).toEqual([url, url, url])
  expect(await urlOf(at, unknown)).toBe(ELSEWHERE)
  const again = await charges(at, '--all', '--report', report)
  expect([again.code, again.stdout]).toEqual([0, '3 done in an earlier run\n'])

  const file = join(at.site.folder, 'ids.csv')
  writeFileSync(file, `name;charge_id\nBook;${unknown}\nPen;999\n`)
  const some = await charges(at, '--file', file, '--yes', '--json')
  expect([some.code, linesOf(some)]).toMatchObject([
    1,
    [
      { id: unknown, result: 'changed', before: 'http://127.0.0.1:9/charges/some…' },
      { id: '999', result: 'failed', reason: expect.stringContaining('404') },
      { ok: false, total: 2, changed: 1, failed: 1, left: 0 },
    ],
  ])
  const one = await charges(at, unknown, '--yes')
  expect([one.code, one.stdout]).toEqual([0, '1 had the address already\n'])

  const everything = [dry, asked, done, again, some, one].map(({ stdout, stderr }) => `${stdout}${stderr}`).join('')
  expect(`${everything}${readFileSync(report, 'utf8')}`).not.toContain(at.chargeToken)
})

it('a run that was killed goes on behind its report', async () => {
  const at = await createServiceSite()
  const ids = await Promise.all(Array.from({ length: 6 }, () => createCharge(at, ELSEWHERE)))
  const [file, report] = ['ids.csv', 'moved.jsonl'].map((name) => join(at.site.folder, name)) as [string, string]
  writeFileSync(file, ids.join('\n'))
  const args = ['--environment', 'sandbox', '--file', file, '--report', report, '--yes', '--rate', '4']
  const command = [MAIN, 'service', 'charges', 'set-notification-url', ...args, '--config', at.site.configFile]
  const killed = spawn(process.execPath, command, { stdio: 'ignore' })
  const ended = once(killed, 'exit')
  await until(() => existsSync(report) && readFileSync(report, 'utf8').split('\n').length > 2, Boolean, 60_000)
  killed.kill('SIGKILL')
  expect((await ended)[1]).toBe('SIGKILL')

  const { code, stdout } = await charges(at, '--file', file, '--report', report, '--yes', '--json')

  const totals = linesOf({ stdout } as Ended).at(-1) as Record<string, number>
  expect([code, totals]).toMatchObject([0, { ok: true, failed: 0, left: 0 }])
  expect(totals.earlier).toBeGreaterThanOrEqual(2)
  expect(totals.earlier).toBeLessThan(6)
  expect(Number(totals.earlier) + Number(totals.changed) + Number(totals.already)).toBe(6)
  const url = `${at.chargesUrl}/charges/${at.chargeToken}`
  expect(new Set(await Promise.all(ids.map((id) => urlOf(at, id))))).toEqual(new Set([url]))
})

it('a subscription gets address and custom id; wrong usage ends with 2 and calls nothing', async () => {
  const at = await createServiceSite()
  const plan = await at.running.ask('charges', {
    method: 'POST',
    path: '/v1/plan',
    body: { name: 'Monthly', interval: 1, repeats: null },
  })
  const body = { items: [{ name: 'Book', value: 15010 }], metadata: { notification_url: ELSEWHERE } }
  const path = `/v1/plan/${plan.json.data.plan_id}/subscription`
  const { json } = await at.running.ask('charges', { method: 'POST', path, body })
  const id = String(json.data.subscription_id)
  const set = (...args: string[]) =>
    portaria(at.site, 'service', 'subscriptions', 'set-metadata', '--environment', 'sandbox', '--yes', ...args)
  const metadata = async () => {
    const record = await at.running.ask('charges', { path: `/v1/subscription/${id}` })
    const { notification_url, custom_id } = record.json.data
    return { notification_url, custom_id }
  }

  expect((await set(id, '--custom-id', 'order 42')).stdout).toBe('1 changed\n')
  expect(await metadata()).toEqual({ notification_url: ELSEWHERE, custom_id: 'order 42' })
  expect((await set(id)).stdout).toBe('1 changed\n')
  expect(await metadata()).toEqual({
    notification_url: `${at.chargesUrl}/charges/${at.chargeToken}`,
    custom_id: 'order 42',
  })

  for (const [args, text] of [
    [[], 'give one id, --file FILE or --all'],
    [[id, '--all'], 'give one id, --file FILE or --all'],
    [['--all', '--custom-id', 'x'], '--custom-id is for one id'],
    [[id, '--custom-id', 'a/b'], 'letters, digits'],
    [[id, '--url', 'ftp://x'], 'http:// or https://'],
    [[id, '--rate', '0'], 'above 0'],
    [['no-id'], 'give the digits'],
  ] as const) {
    const { code, stderr } = await set(...args)
    expect([code, stderr], args.join(' ')).toEqual([2, expect.stringContaining(text)])
  }
})
