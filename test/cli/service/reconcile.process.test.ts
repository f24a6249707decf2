import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { STORE } from '../../api/api.ts'
import { createReconcileSite, eventsOf, expectSubject } from '../../gateway/reconcile/reconcile-site.ts'
import { linesOf, portaria } from '../program.ts'

const SINCE = ['--since', '2026-03-01']

it('expect takes a file, reconcile asks for its ids, and gaps shows the day', async () => {
  const { site, running, start, pay } = await createReconcileSite()
  const ids = [await pay(), await pay()]
  await running.control('POST', `/payments/${ids[1]}/settle`)
  const gateway = await start()
  const file = join(site.folder, 'ids.csv')
  const service = (...args: string[]) => portaria(site, 'service', ...args)

  writeFileSync(file, `kind,environment,subject\r\npayment,sandbox,${ids[0]}\r\npayments,sandbox,${ids[1]}\r\n`)
  const wrong = await service('expect', '--file', file)
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/line 3\b.*payments/)])
  writeFileSync(file, `kind,environment,subject\r\npayment,sandbox,${ids[0]}\r\npayment,sandbox,${ids[1]}\r\n`)
  expect(await service('expect', '--file', file)).toMatchObject({ code: 0, stdout: '2 ids are expected\n' })

  const dry = await service('reconcile', ...SINCE, '--dry-run', '--json')
  expect([dry.code, JSON.parse(dry.stdout).environments[0]]).toMatchObject([0, { found: 2, failed: 0 }])
  expect(await eventsOf(gateway, 'kind=payment')).toEqual([])
  const run = await service('reconcile', ...SINCE)
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('sandbox')])
  expect(await eventsOf(gateway, 'kind=payment')).toHaveLength(2)

  const gaps = await service('gaps', '--json')
  expect([gaps.code, linesOf(gaps)[0]]).toMatchObject([
    0,
    { data: [{ kind: 'payment', environment: 'sandbox', received: 0, reconciled: 2, unknown: 0 }], openings: [] },
  ])
  const table = await service('gaps')
  expect([table.code, table.stdout]).toEqual([0, expect.stringMatching(/payment +(sandbox +)?0 +2/)])

  await gateway.stop()
  const without = await service('reconcile')
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('no gateway runs')])
  expect((await service('gaps')).code).toBe(0)
})

/** The ids that the database of a site without a running gateway expects. */
async function expectedAt(folder: string): Promise<string[]> {
  const store = await openStore({ ...STORE, file: join(folder, 'data/portaria.db') })
  const open = await store.listOpenSubjects({ kind: 'payment', environment: 'sandbox' }, 200_000)
  await store.close()
  return open.map(({ subject }) => subject).sort()
}

it('expect takes 100,000 lines without a gateway, all of them or none', async () => {
  const { site, start } = await createReconcileSite()
  await (await start()).stop()
  const ids = Array.from({ length: 100_000 }, (_, index) => String(1_000_000 + index))
  const lines = ids.map((id) => `payment,sandbox,${id}`)
  const file = join(site.folder, 'ids.csv')
  const write = (text: readonly string[]) =>
    writeFileSync(file, `\uFEFFkind,environment,subject\r\n${text.join('\r\n')}\r\n`)
  const command = () => portaria(site, 'service', 'expect', '--file', file, '--json', '--reason', 'after the outage')

  write([...lines, 'payment,sandbox,'])
  const wrong = await command()
  expect([wrong.code, wrong.stdout, wrong.stderr]).toEqual([1, '', expect.stringContaining('line 100002: subject')])
  expect(await expectedAt(site.folder)).toEqual([])

  write(lines)
  const taken = await command()
  expect([taken.code, linesOf(taken)]).toEqual([0, [{ expected: 100_000, added: 100_000 }]])
  expect(await expectedAt(site.folder)).toEqual(ids)
  const again = await command()
  expect([again.code, linesOf(again)]).toEqual([0, [{ expected: 100_000, added: 0 }]])
})

it('reconcile exits with 1 where questions failed, with the reason, and with 0 for unknown ids', async () => {
  const { site, running, start } = await createReconcileSite()
  const gateway = await start()
  await expectSubject(gateway, 'payment', '99999999')
  const unknown = await portaria(site, 'service', 'reconcile', ...SINCE)
  expect([unknown.code, unknown.stdout]).toEqual([0, expect.stringMatching(/unknown ids +1\n/)])
  expect(unknown.stderr).toMatch(/\d of \d questions, 0 found/)

  await running.stop()
  const failed = await portaria(site, 'service', 'reconcile', ...SINCE)
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/failed +[1-9]/)])
  expect(failed.stderr).toContain('sandbox: ')

  const nowhere = await portaria(site, 'service', 'reconcile', '--environment', 'production')
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('is not reconciled: sandbox is')])
})
