import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FINDINGS, type Findings } from '../nightly/conformance/findings.ts'
import { HAND_MADE } from '../support/receivers/set-ups.ts'

/** A warning is in brackets. What was skipped is not in the table. */
function row(title: string, findings: Findings): string {
  const cells = Object.entries(findings).flatMap(([id, verdict]) => {
    if (verdict === 'skip') return []
    return [verdict === 'fail' ? `\`${id}\`` : `(\`${id}\`)`]
  })
  return `| ${title} | ${cells.join(', ')} |`
}

it('simulator/docs/conformance.md has what the campaign finds at each receiver that is set up by hand', () => {
  const page = readFileSync(join(import.meta.dirname, '../../simulator/docs/conformance.md'), 'utf8')
  const [, table = ''] = /^\| set-up \| fails, \(warns\) \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(page) ?? []
  const rows = Object.entries(HAND_MADE).map(([name, { title }]) => row(title, FINDINGS[name as keyof typeof FINDINGS]))
  expect(table.trimEnd().split('\n')).toEqual(rows)
})
