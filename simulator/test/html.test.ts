import { expect, it } from 'vitest'
import { html, pageOf } from '../src/http/html.ts'

it('escapes every value, in content and in attributes, and keeps pieces of HTML', () => {
  const evil = `<script>"&'`
  const item = html`<li title="${evil}">${evil}</li>`
  const escaped = '&#60;script&#62;&#34;&#38;&#39;'
  expect(html`<ul>${[item, html`<li>${2}</li>`]}</ul>${null}`.text).toBe(
    `<ul><li title="${escaped}">${escaped}</li><li>2</li></ul>`,
  )
  expect(pageOf('A & B', html``).text).toContain('<title>A &#38; B</title>')
})
