import { expect, it } from 'vitest'
import { speaker } from '../../src/messages/speaker.ts'
import { navigation } from '../../src/pages/frame/navigation.ts'
import { isTab, type Viewer } from '../../src/pages/frame/page.ts'
import { PAGES } from '../../src/pages/pages.ts'

const OPERATOR: Viewer = { id: 'operator', name: null, environment: 'any', can: () => true }
const SUPPORT: Viewer = {
  id: 'cli_1',
  name: 'ana',
  environment: 'production',
  can: (scope) => scope === 'support.read',
}

function shownAt(path: string, viewer = OPERATOR): string {
  return String(navigation(viewer, { pages: PAGES, path, t: speaker('en') }))
}

function markedAt(path: string, viewer = OPERATOR): string[][] {
  return [...shownAt(path, viewer).matchAll(/href="([^"]+)" aria-current="(\w+)"/g)].map(([, ...found]) => found)
}

it.each([
  ['/', '/ui/', 'page'],
  ['/events/evt_1_0', '/ui/', 'true'],
  ['/events/evt_1_0/unmask', '/ui/', 'true'],
  ['/destinations/dst_1/rotate', '/ui/destinations', 'true'],
  ['/consumers/operator/books', '/ui/consumers', 'true'],
  ['/replays/new', '/ui/replays', 'true'],
  ['/certificates/trust', '/ui/certificates', 'true'],
])('%s marks one tab, and names it where the tabs are folded', (path, tab, current) => {
  expect(markedAt(path)).toEqual([[tab, current]])
  const label = PAGES.filter(isTab).find(({ page }) => `/ui${page.path}` === tab)?.label.template
  expect(/<summary>.*<\/summary>/.exec(shownAt(path))?.[0]).toContain(`</span>${label}</summary>`)
})

it('a page that does not exist marks none', () => {
  expect(markedAt('/no-such-page')).toEqual([])
})

it('every other page marks a tab of the navigation', () => {
  const shown = PAGES.filter(isTab).map(({ page }) => page)
  const lost = PAGES.filter((entry) => !isTab(entry) && !shown.includes(entry.tab))
  expect(lost).toEqual([])
})

it('tabs without the scope, and groups without a tab, are left out', () => {
  const shown = shownAt('/', SUPPORT)
  expect(shown.match(/<li>/g)).toHaveLength(1)
  expect(shown).not.toContain('Delivery')
})
