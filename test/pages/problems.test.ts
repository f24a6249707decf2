import { expect, it } from 'vitest'
import { speaker } from '../../src/messages/speaker.ts'
import { problemOf } from '../../src/pages/frame/problem.ts'
import { CODES, FIELDS, FORMS } from '../../src/pages/frame/problem-texts.ts'
import { ACTIONS } from '../../src/pages/pages.ts'
import { aCallback, aFact, NOON } from '../support/builders.ts'
import { startPages, textIn } from './api-pages.ts'
import { englishIn } from './english-words.ts'

const PATHS: Readonly<Record<string, string>> = { ':owner': 'operator', ':name': 'nobody' }

/** What each form is refused for; left out: what it is about does not exist. */
const WRONG: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/consumers/:owner/:name/seek': { to: 'time', time: 'soon' },
  '/replays/new/count': { destination: 'nowhere', mode: 'all' },
  '/replays/new': { destination: 'nowhere', mode: 'all', from: 'soon' },
  '/destinations/new': { url: '' },
  '/registrations/new': { client: 'cli_0', kind: 'payment', url: 'https://app.example/' },
  '/clients/new': { name: 'a b', environment: 'production', scopes: 'events.read' },
  '/alarms/test': { channel: 'nowhere' },
  '/certificates/trust': { environment: 'production', role: 'callers', change: 'stage', pem: 'no chain' },
}

/** They cannot be refused for what a person enters. */
const WITHOUT_FIELDS = ['/check', '/check/clock', '/gaps/reconcile', '/replays/selected/all']

async function inPortuguese() {
  const world = await startPages()
  await world.api.store.storeCallback(aCallback({ text: '{}', receivedAt: NOON, facts: [aFact({ subject: '1' })] }))
  await world.browser.submit('/ui/', '/ui/language', { language: 'pt', next: '/ui/' })
  return world
}

const forms = ACTIONS.map(({ path }) => path).filter((path) => !WITHOUT_FIELDS.includes(path))

it.each(forms)('the form %s is refused in the language of the page', async (path) => {
  const { browser } = await inPortuguese()
  const target = `/ui${path.replaceAll(/:\w+/g, (name) => PATHS[name] ?? 'no_1')}`
  const answer = await browser.submit('/ui/replays/new', target, { reason: 'teste', ...WRONG[path] })
  const { location } = answer.headers
  const { body } = location === undefined ? answer : await browser.get(String(location))
  const shown = /<p class="flash bad" role="alert"[^>]*>(.*?)<\/p>/s.exec(body)?.[1] ?? ''
  const [text = ''] = shown.split('<br>')
  const own = [
    'Nenhum evento foi escolhido. Nada foi enviado.',
    'Nenhum destino foi escolhido. Nada foi enviado.',
    'Nenhum alarme foi escolhido. Nada foi silenciado.',
  ]
  const texts = [
    ...[FIELDS, CODES, ...Object.values(FORMS)].flatMap((said) => Object.values(said).map(speaker('pt').of)),
    ...own,
  ]
  expect(texts).toContain(textIn(`<main>${text}</main>`))
  expect(englishIn(body)).toEqual([])
})

it('a field without a text of its own is reported in the words of the API, and not by another reason of the form', () => {
  const json = { code: 'request_invalid', detail: 'the body is wrong', errors: [{ pointer: '#/mode', detail: 'all' }] }
  expect(problemOf({ status: 400, json }, speaker('en'), '/replays/new')).toEqual({
    text: 'What you entered cannot be read.',
    quote: 'the body is wrong; all',
  })
})
