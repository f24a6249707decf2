import { expect, it } from 'vitest'
import { ask, askJson, startApi } from '../api.ts'

const FINDING = {
  area: 'storage',
  code: 'database.unusable',
  what: 'database',
  level: 'problem',
  found: 'it is gone',
  nextStep: 'restore a backup',
  accepted: null,
}
const SUMMARY = { ok: false, good: 0, warnings: 0, problems: 1, accepted: 0 }
const LINES = [FINDING, SUMMARY].map((line) => JSON.stringify(line))

it('answers with the findings and the summary of the check, and with the last report where asked', async () => {
  const api = await startApi({ runCheck: async () => LINES })
  const none = await ask(api, '/v1/check?latest=true')
  expect([none.status, JSON.parse(none.body)]).toMatchObject([
    404,
    { detail: expect.stringContaining('no check has run') },
  ])
  const report = await askJson(api, '/v1/check')
  expect(report).toMatchObject({ summary: SUMMARY, findings: [FINDING], durationMs: 0 })
  expect(await askJson(api, '/v1/check?latest=true')).toEqual(report)
})

it('runs once for all who ask meanwhile, and again for later ones', async () => {
  const runs: PromiseWithResolvers<readonly string[]>[] = []
  const api = await startApi({
    runCheck() {
      const run = Promise.withResolvers<readonly string[]>()
      runs.push(run)
      return run.promise
    },
  })
  const both = [askJson(api, '/v1/check'), askJson(api, '/v1/check')]
  await expect.poll(() => runs.length).toBe(1)
  // The second request is there when a third is answered.
  await ask(api, '/v1/check?latest=true')
  runs[0]?.resolve(LINES)
  const [one, two] = await Promise.all(both)
  expect(two).toEqual(one)
  expect(runs).toHaveLength(1)
  const later = askJson(api, '/v1/check')
  await expect.poll(() => runs.length).toBe(2)
  runs[1]?.resolve(LINES)
  await later
})

it.each([
  ['fails', () => Promise.reject(new Error('the check did not end within 120 s')), 'did not end within 120 s'],
  ['prints no summary', async () => [JSON.stringify(FINDING)], 'no summary'],
  ['prints something else', async () => ['{"area":1}'], 'no finding: {"area":1}'],
])('is 503 with the reason where the check %s, and the next request runs it again', async (_, runCheck, words) => {
  const results = [runCheck, async () => LINES]
  const api = await startApi({ runCheck: () => (results.shift() as typeof runCheck)() })
  const { status, body } = await ask(api, '/v1/check')
  const { detail } = JSON.parse(body) as { detail: string }
  expect([status, detail]).toEqual([503, expect.stringContaining(words)])
  expect(detail).toContain('on the gateway')
  expect((await ask(api, '/v1/check')).status).toBe(200)
})
