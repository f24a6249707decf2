import { html } from '../html.ts'
import type { Page } from '../page.ts'

export const FIND: Page = {
  path: '/',
  scopes: ['events.read'],
  async render({ words }) {
    return { title: words.find.title, body: html`<h1>${words.find.title}</h1>` }
  },
}
