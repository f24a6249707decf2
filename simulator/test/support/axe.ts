import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe-core finds on a page as it is shown now, in words: its findings of these impacts. */
export async function accessibilityFindings(page: Page, impacts = ['serious', 'critical']): Promise<string[]> {
  // Not as a script of the page: its policy would refuse it.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(`(() => { ${SOURCE} })()`)
  const violations = await page.evaluate<Violation[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations)',
  )
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join('\n')}`,
    )
}
