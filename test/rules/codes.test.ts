import { describe, expect, it } from 'vitest'
import { codeEntries, codesPage } from '../../packaging/codes/page.ts'
import { TOKEN_ERROR_CODES } from '../../src/api/auth/token-request.ts'
import { FINDING_CODES } from '../../src/config/finding-codes.ts'
import { REASON_CODES } from '../../src/domain/overview/reasons.ts'
import { REFUSAL_CODES } from '../../src/domain/refusal.ts'
import { LOG_EVENTS } from '../../src/messages/en/log-events.ts'
import { ROOT } from '../../src/platform/program-files.ts'
import { ERROR_CODES } from '../../src/platform/errors.ts'

describe.each(['en', 'pt'] as const)('the page of codes (%s)', (language) => {
  const page = codesPage(language)

  it('is the one that the source makes; --update writes it', async () => {
    await expect(page).toMatchFileSnapshot(`${ROOT}/docs/${language === 'en' ? '' : 'pt/'}codes.md`)
  })

  it('has every code of the source as a heading, with what it means and what to do', () => {
    const inSource = [
      ...[...FINDING_CODES, ...REASON_CODES, ...REFUSAL_CODES, ...ERROR_CODES, ...TOKEN_ERROR_CODES, 'internal'],
      ...Object.keys(LOG_EVENTS),
    ]
    const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, code]) => code)
    expect(headings).toEqual([...new Set(inSource)].sort())
    expect(codeEntries(language).filter(({ meaning, action }) => meaning.length < 5 || action.length < 5)).toEqual([])
  })
})
