import { expect, it } from 'vitest'
import { codeEntries } from '../../src/pages/codes/entries.ts'
import { aRefusal } from '../support/builders.ts'
import { MARKUP, startPages, textIn } from './api-pages.ts'

it('says what a code means in each place, and what to do, in both languages', async () => {
  const { browser } = await startPages()
  const english = textIn((await browser.get('/ui/codes?code=certificate_expired')).body)
  expect(english).toContain('A certificate in use, of a caller or of a destination has expired.')
  expect(english).toContain('What to do:')
  const portuguese = textIn((await browser.get('/ui/codes?code=access_denied', { 'accept-language': 'pt' })).body)
  expect(portuguese).toContain('A pessoa, ou o provedor, recusou.')
  expect(portuguese).toContain('O que fazer: Comece a entrada de novo.')
})

it('lists the codes with a part of the name, and says when there is none', async () => {
  const { browser } = await startPages()
  const { body } = await browser.get('/ui/codes?code=+CLOCK.')
  const names = [...body.matchAll(/href="\/ui\/codes\?code=([^"]+)"/g)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(4)
  expect(names.every((name) => name?.startsWith('clock.'))).toBe(true)
  const none = await browser.get(`/ui/codes?${new URLSearchParams({ code: MARKUP })}`)
  expect(none.status).toBe(200)
  expect(textIn(none.body)).toContain('No code has this in its name.')
  expect(none.body).not.toMatch(/<script>alert|<img/)
})

it('every entry of both languages has a meaning and a next step, and the same codes', () => {
  expect([...codeEntries('pt').keys()]).toEqual([...codeEntries('en').keys()])
  for (const language of ['en', 'pt'] as const)
    for (const [code, meanings] of codeEntries(language)) {
      expect(meanings, code).not.toEqual([])
      for (const { text, nextStep } of meanings) expect([text, nextStep], code).not.toContain('')
    }
})

it('a code on a page leads to its entry', async () => {
  const { browser, api } = await startPages()
  await api.store.recordRefusals({ refusals: [aRefusal({ code: 'expired' })], probes: [] })
  const { body } = await browser.get('/ui/refusals/rfs_1')
  expect(body).toContain('href="/ui/codes?code=expired"')
  expect(textIn((await browser.get('/ui/codes?code=expired')).body)).not.toContain('No code has')
})
