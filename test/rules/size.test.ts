import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mutualPairs, sizeOf } from './size.ts'

/** Lines that the release began with, and by how many it may grow. */
type Budget = { readonly release: string } & Readonly<
  Record<string, { readonly lines: number; readonly growth: number }>
>

const FILE = 'test/rules/budget.json'
const { release, ...folders }: Budget = JSON.parse(readFileSync(join(import.meta.dirname, 'budget.json'), 'utf8'))

it.each(Object.entries(folders))('%s stays within the budget of the release', (folder, { lines, growth }) => {
  const most = lines + growth
  expect(
    sizeOf(folder).lines,
    `${folder} has more than ${most} lines: the release ${release} may add ${growth} (${FILE}). Take lines away, and name them in the commit`,
  ).toBeLessThanOrEqual(most)
})

/** Beside a folder and one inside it, whose files are for the folder. */
const REASONS: Readonly<Record<string, string>> = {
  'src/certificates/files <> src/certificates/live':
    'a file is described by what its certificate is, and a certificate in use is read from its file',
  'src/certificates/live <> src/certificates/trust':
    'the inventory has the files of trust, and trust asks what a certificate may be used for',
  'src/cli/check <> src/cli/service': 'the check asks the service, and an address to register is checked from outside',
  'src/cli/program <> src/cli/shell': 'completion and man page are commands, and describe all commands',
  'src/domain/alarms <> src/domain/overview': 'an alarm is a reason of the overview, and a failing channel is one, too',
  'src/store/postgres/deliveries <> src/store/postgres/writing': 'statements know the type of a transaction',
  'src/store/postgres/events <> src/store/postgres/writing': 'statements know the type of a transaction',
  'src/store/postgres/reconcile <> src/store/postgres/writing': 'statements know the type of a transaction',
  'src/store/postgres/search <> src/store/postgres/writing': 'statements know the type of a transaction',
  'simulator/src/bills <> simulator/src/charges': 'a bill payment pays a billet of a charge, and shows what comes next',
  'simulator/src/carnets <> simulator/src/charges': 'a carnet is made of charges, which change its status',
}

it('each pair of folders that import each other has its reason', () => {
  const pairs = [...mutualPairs(['src']), ...mutualPairs(['simulator/src'])]
  const isInside = (pair: string) => {
    const [one, other] = pair.split(' <> ')
    return other?.startsWith(`${one}/`)
  }
  expect(pairs.filter((pair) => !isInside(pair)).sort()).toEqual(Object.keys(REASONS).sort())
  expect(pairs.length, pairs.join('\n')).toBeLessThanOrEqual(50)
})
