import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Mutation } from './mutation.ts'
import { copyTree, type TreeCopy } from './tree-copy.ts'

/** Changes the source in one place at a time, and expects that a test of each place fails. */
export function proveThatTestsFail(mutations: readonly Mutation[]): void {
  let tree: TreeCopy
  beforeAll(() => {
    tree = copyTree()
  })
  afterAll(() => tree.remove())

  it('without a mutation all these tests pass', async () => {
    const { passed, ...run } = await tree.run([...new Set(mutations.flatMap(({ tests }) => tests))])
    expect(run).toEqual({ failed: [], problem: null })
    expect(passed).toBeGreaterThan(0)
  }, 3_600_000)

  it.each(mutations)('$file: $harm: a test fails', async (mutation) => {
    const { failed, problem } = await tree.run(mutation)
    expect(problem).toBeNull()
    // A mutation that a test notices has no reason any more why none can.
    expect({ isNoticed: failed.length > 0 }).toEqual({ isNoticed: mutation.unfound === undefined })
  })
}
