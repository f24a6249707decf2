import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { everyCommand, nameOf } from '../cli/every-command.ts'
import { filledSite, NOW } from './filled-site.ts'
import { SCRIPT } from './script.ts'
import { outputOf, threeWays } from './ways.ts'

const OUTPUTS = join(import.meta.dirname, 'outputs/commands')

afterEach(() => void vi.useRealTimers())

it('commands say what they said before, by each way; --update writes it', { timeout: 300_000 }, async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  const ways = await threeWays(await filledSite())
  for (const [noun, text] of Object.entries(SCRIPT)) {
    const outputs: string[] = []
    for (const line of text.trim().split(/\n\s*/)) outputs.push(await outputOf(line, ways))
    await expect.soft(outputs.join('\n')).toMatchFileSnapshot(join(OUTPUTS, `${noun}.txt`))
  }
})

/** Those that work without a gateway and its database, serve, wait, ask the service, or print what depends on the machine: tests of their own run them. */
const OTHERS =
  /^(alarms test|certs (?!check)|check|clients certificate|completion|conformance|config|demo|events tail|init|listen|log|login|logout|man|playground|probe|refusals tail|reload|serve|service (?!gaps|status)|simulator|storage (?!redact|prune|confirm-clock|reindex)|trigger|version)\b/

it('every other command is in the script', async () => {
  const lines = Object.values(SCRIPT).join('\n')
  const missing = (await everyCommand())
    .map(nameOf)
    .filter((name) => !lines.includes(`  ${name} `) && !lines.includes(`  ${name}\n`))
  expect(missing.filter((name) => !OTHERS.test(name))).toEqual([])
})
