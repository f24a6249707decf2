import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { type InitFlags, siteOf } from '../../src/cli/init/answers.ts'
import { nextSteps } from '../../src/cli/init/next-steps.ts'
import { filesOf } from '../../src/cli/init/site-files.ts'
import { PRESETS, readPreset } from '../../src/config/presets.ts'
import { LANGUAGES } from '../../src/messages/languages.ts'
import { knownText } from '../../src/messages/say.ts'
import { ENGLISH } from '../pages/english-words.ts'
import { MAIN } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FLAGS: readonly InitFlags[] = [
  {},
  { publicPort: 443, chargePort: 9444, environments: 'sandbox', localReceiver: true },
  { kinds: 'none', institution: PRESETS.map((preset) => `bank-${preset}:${preset}`) },
]

it.each(FLAGS)('both languages have the same steps, commands and names: %j', (flags) => {
  const [english, portuguese] = LANGUAGES.map((lang) =>
    [false, true].map((isContainer) => {
      const site = siteOf('/etc/my site', { hostName: 'callbacks.example.com', ...flags, lang }, isContainer)
      return partsOf(nextSteps(site, '24.20.0'))
    }),
  )
  expect(portuguese).toEqual(english)
})

/** Levels of headings, commands, addresses and keys. */
function partsOf(steps: string): string[] {
  return steps.match(/^#+ (\d\. )?|^ {4}.*$|https:[^\s,]+|`[^`]+`|\w+\/[\w-]+|^- /gm) ?? []
}

it('the chain of each preset is described in Portuguese', () => {
  const chains = PRESETS.map((preset) => readPreset(preset).about.chain)
  expect(chains.filter((chain) => knownText(chain, 'pt') === null)).toEqual([])
})

it.each([
  { args: ['--lang', 'pt'], env: { LANG: 'en_US.UTF-8' }, title: 'o que você ainda precisa fornecer' },
  { args: ['--lang', 'en'], env: { LANG: 'pt_BR.UTF-8' }, title: 'what you still have to supply' },
  { args: [], env: { LANG: 'pt_BR.UTF-8' }, title: 'o que você ainda precisa fornecer' },
  { args: [], env: { LC_ALL: 'C', LANG: 'pt_BR.UTF-8' }, title: 'what you still have to supply' },
  { args: [], env: { LC_ALL: '', LC_MESSAGES: 'pt', LANG: 'de_DE' }, title: 'o que você ainda precisa fornecer' },
])('init writes the steps in the language of $args, or of $env', ({ args, env, title }) => {
  const folder = join(temporaryFolder(), 'etc')
  const { status, stdout } = spawnSync(
    process.execPath,
    [MAIN, 'init', folder, '--host-name', 'callbacks.example.com', ...args],
    { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } },
  )
  expect(status).toBe(0)
  expect(stdout.split('\n')[0]).toContain(title)
  expect(readFileSync(join(folder, 'NEXT-STEPS.md'), 'utf8')).toBe(stdout)
})

/** Without comments: switched off keys and the others. */
const keysIn = (yaml: string) => yaml.replaceAll(/^#? *# .*$/gm, '#')

it.each(FLAGS)('the configuration has the same keys in both languages, and no English comment: %j', (flags) => {
  const written = (lang: 'en' | 'pt', isContainer: boolean) => {
    const site = siteOf('/etc/portaria', { hostName: 'callbacks.example.com', ...flags, lang }, isContainer)
    return (
      filesOf(site)
        .find(({ path }) => path.endsWith('portaria.yaml'))
        ?.content.toString() ?? ''
    )
  }
  for (const isContainer of [false, true]) {
    const own = written('pt', isContainer)
    expect(keysIn(own)).toBe(keysIn(written('en', isContainer)))
    const comments = own.match(/(?<=^#? *# )\S.*$/gm) ?? []
    expect(comments.length).toBeGreaterThan(10)
    expect(comments.filter((comment) => ENGLISH.test(comment))).toEqual([])
    expect(parse(own)).toEqual(parse(written('en', isContainer)))
  }
})
