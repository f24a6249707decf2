import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { fixIn, type Server } from '../../../simulator/src/conformance/fixes/fix.ts'
import { CALLBACK_SCENARIOS } from '../../../simulator/src/conformance/scenarios/all.ts'
import { receiverCaFile } from '../../../simulator/test/receiver.ts'
import { portaria } from '../../cli/program.ts'
import { OPEN_FINANCE } from '../../support/receivers/open-finance.ts'
import { HAND_MADE, MENDED, REMEDIES, type SetUp } from '../../support/receivers/set-ups.ts'
import { FINDINGS, type Findings, OF_NO_PRESET, OF_OPEN_FINANCE } from './findings.ts'

/** So many receivers at a time: each run has up to eight requests side by side. */
const AT_ONCE = 5

interface Case {
  readonly title: string
  readonly setUp: SetUp
  readonly expected: Findings
  readonly preset?: 'open-finance'
}

interface Scenario {
  readonly id: string
  readonly verdict: string
}

const entriesOf = <Name extends string>(setUps: Readonly<Record<Name, SetUp>>) =>
  Object.entries(setUps) as [Name, SetUp][]
const CASES: readonly Case[] = [
  ...entriesOf(HAND_MADE).map(([name, setUp]) => ({
    title: `${setUp.title}: the findings are those of the table`,
    setUp,
    expected: FINDINGS[name],
  })),
  ...entriesOf(MENDED).map(([, setUp]) => ({
    title: `${setUp.title}, mended as the report says: nothing fails`,
    setUp,
    expected: OF_NO_PRESET,
  })),
  ...Object.values(OPEN_FINANCE).map((setUp) => ({
    title: `${setUp.title}, set up for open finance as the report says: nothing fails`,
    setUp,
    expected: OF_OPEN_FINANCE,
    preset: 'open-finance' as const,
  })),
]

const folder = mkdtempSync(join(tmpdir(), 'portaria-receivers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Of `conformance chain`. */
interface Installed {
  readonly chain: string
  readonly issuer: string
}

const reports = new Map<Case, readonly Scenario[] | Error>()
beforeAll(async () => {
  // As root, Apache's workers are another user.
  chmodSync(folder, 0o755)
  const { stdout } = await conformance('chain', '--folder', join(folder, 'chains'), '--json')
  const { production } = JSON.parse(stdout) as { production: Installed }
  const waiting = CASES.filter(({ setUp }) => setUp.isInstalled)
  async function runInTurn(): Promise<void> {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
      reports.set(one, await reportOf(one, production).catch((error: Error) => error))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runInTurn))
}, 300_000)

function conformance(...args: string[]) {
  return portaria(null, 'conformance', ...args, '--laboratory', join(folder, 'keys'))
}

async function reportOf(one: Case, { chain, issuer }: Installed): Promise<readonly Scenario[]> {
  const testCa = inject('testCa')
  const receiver = await one.setUp.start({
    folder: join(folder, `${CASES.indexOf(one)}`),
    certificate: join(testCa, 'server.crt'),
    privateKey: join(testCa, 'server.key'),
    chain,
    issuer,
  })
  try {
    const flags = ['--log', receiver.log, '--ca', receiverCaFile(), '--environment', 'production']
    if (one.preset !== undefined) flags.push('--preset', one.preset)
    const { stdout, stderr } = await conformance(receiver.url, '--json', ...flags)
    if (!stdout.startsWith('{')) throw new Error(stderr)
    return (JSON.parse(stdout) as { scenarios: readonly Scenario[] }).scenarios
  } finally {
    await receiver.stop()
  }
}

for (const one of CASES) {
  it.skipIf(!one.setUp.isInstalled)(one.title, () => {
    expect(findingsOf(one)).toEqual(one.expected)
  })
}

/** Every scenario that did not pass. */
function findingsOf(one: Case): Record<string, string> {
  const report = reports.get(one)
  if (!Array.isArray(report)) throw report
  const open = report.filter(({ verdict }) => verdict !== 'pass')
  return Object.fromEntries(open.map(({ id, verdict }) => [id, verdict]))
}

it('the mended receivers have the remedies of the report', () => {
  for (const [id, remedies] of Object.entries(REMEDIES)) {
    const { fix } = CALLBACK_SCENARIOS.find((scenario) => scenario.id === id) as (typeof CALLBACK_SCENARIOS)[number]
    const told = fixIn(fix, 'en')
    for (const [server, code] of Object.entries(remedies))
      expect(told[server as Server], `${id}, ${server}`).toContain(code)
  }
})
