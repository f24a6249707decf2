import { type Html, html } from './html.ts'

/** A code as the configuration, the log and the API write it; it leads to what it means. */
export function codeLink(code: string): Html {
  return html`<a class="code" href="/ui/codes?${new URLSearchParams({ code }).toString()}"><code>${code}</code></a>`
}
