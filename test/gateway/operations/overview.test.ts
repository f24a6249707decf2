import { expect, it, vi } from 'vitest'
import { createUsedConfiguration } from '../../../src/gateway/configuration.ts'
import { createOverview } from '../../../src/gateway/overview.ts'

it('the overview is made once a second, and again at once after a reload', async () => {
  const configuration = createUsedConfiguration({ file: '/etc/portaria/portaria.yaml', sha256: 'a' })
  const overviewFacts = vi.fn().mockRejectedValue(new Error('read'))
  const overview = createOverview({ overviewFacts }, configuration.state, { flush: async () => {} }, () => 0)
  const readTwice = async () => {
    await expect(overview.read()).rejects.toThrow('read')
    await expect(overview.read()).rejects.toThrow('read')
    return overviewFacts.mock.calls.length
  }

  expect(await readTwice()).toBe(1)
  configuration.taken({ sha256: 'b' }, ['callbacks.kinds'])
  expect(await readTwice()).toBe(2)
  configuration.refused('line 3: unknown key')
  expect(await readTwice()).toBe(3)
})
