import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createReconcileSite, eventsOf } from '../../gateway/reconcile/reconcile-site.ts'
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
