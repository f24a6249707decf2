import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gatewayFinding } from '../../src/cli/check/program-age.ts'
import { VERSION } from '../../src/platform/version.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const production = { mode: 'production' } as const
const at = (ms: number) => new Date(ms).toISOString()

/** Sources that were just put in their place, with the times of long ago, as an installation copies them. */
function installed(): string {
  const sources = temporaryFolder()
  mkdirSync(join(sources, 'cli'))
  for (const file of ['main.ts', 'cli/check.ts']) {
    writeFileSync(join(sources, file), '')
    utimesSync(join(sources, file), 0, 0)
  }
  return sources
}

it('a gateway that was started before its program was replaced is a warning with the next step', () => {
  const startedAt = at(Date.now() - 60_000)
  expect(gatewayFinding(production, { version: VERSION, startedAt }, installed())).toMatchObject({
    code: 'gateway.older',
    level: 'warning',
    found: expect.stringMatching(
      `^runs, but it is older than the program: it was started at ${startedAt}, and .* changed at `,
    ),
    nextStep: expect.stringContaining('systemctl restart portaria'),
  })
})

it('so is one of another version, and one that does not say when it was started', () => {
  const startedAt = at(Date.now() + 60_000)
  expect(gatewayFinding(production, { version: '0.0.9', startedAt }, installed())).toMatchObject({
    found: expect.stringContaining(`it is version 0.0.9, and the program is ${VERSION}`),
  })
  expect(gatewayFinding(production, { version: VERSION }, installed()).code).toBe('gateway.older')
})

it('one that was started from this program is good; in development the sources may change', () => {
  const running = { version: VERSION, startedAt: at(Date.now() + 60_000) }
  expect(gatewayFinding(production, running, installed()).level).toBe('good')
  const earlier = { version: VERSION, startedAt: at(0) }
  expect(gatewayFinding({ mode: 'development' }, earlier, installed()).level).toBe('good')
})
