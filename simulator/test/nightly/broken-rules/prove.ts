import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BrokenRule } from './broken-rule.ts'
import { type Campaign, startCampaign } from './campaign.ts'

/** Breaks the rules one at a time, and expects that the named test of each fails. */
export function proveThatTestsFail(rules: readonly BrokenRule[]): void {
  let campaign: Campaign
  beforeAll(async () => {
    campaign = await startCampaign()
  })
  afterAll(() => campaign.stop())

  it.each(rules)('$rule: without it the test “$title” fails', async (rule) => {
    const run = (await campaign.run(rule.test, [rule.title], rule)).map((test) => test.result())
    expect(run.map(({ state }) => state)).toEqual(['failed'])
    // A program that does not start, or a test that times out, is no proof. `rejects` fails with the second text.
    const reasons = run.flatMap(({ errors }) => errors ?? []).map(({ stack, message }) => stack ?? message)
    expect(reasons.join()).toMatch(/^(AssertionError|Error: promise resolved)/)
  })

  // Last: the rules that were broken before in the same worker leave nothing behind.
  it.each([...new Set(rules.map(({ test }) => test))])('with every rule the tests of %s pass', async (test) => {
    const titles = new Set(rules.filter((rule) => rule.test === test).map(({ title }) => title))
    const run = await campaign.run(test, [...titles])
    expect(run.map(({ name }) => name).sort()).toEqual([...titles].sort())
    expect(run.flatMap((test) => test.result().errors ?? [])).toEqual([])
    expect(new Set(run.map((test) => test.result().state))).toEqual(new Set(['passed']))
  })
}
