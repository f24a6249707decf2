import { Html, html } from './html.ts'

/** Shapes of a square of 24, drawn in the colour of the text beside them. */
const SHAPES = {
  find: '<circle cx="11" cy="11" r="7"/><path d="m16 16 5 5"/>',
  overview: '<path d="M3 12h4l3 8 4-16 3 8h4"/>',
  traffic: '<path d="M5 20V11M12 20V4M19 20v-6M3 20h18"/>',
  check: '<path d="M9 5H5v16h14V5h-4M9 3h6v4H9zm0 11 2 2 4-4"/>',
  destinations: '<path d="M13 4h7v16h-7M3 12h11m-4-4 4 4-4 4"/>',
  registrations: '<path d="M9 7V3m6 4V3M6 7h12v4a6 6 0 0 1-12 0zm6 10v4"/>',
  consumers: '<path d="M12 3v11m-4-4 4 4 4-4M4 15v5h16v-5"/>',
  replays: '<path d="M4 12a8 8 0 1 0 2.5-5.8M4 3v4.5h4.5"/>',
  gaps: '<path d="M4 6h16M4 12h4m8 0h4M4 18h16"/>',
  quarantine: '<path d="M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6zm0 5v4m0 3.5v.5"/>',
  refusals: '<circle cx="12" cy="12" r="9"/><path d="m6 6 12 12"/>',
  certificates: '<circle cx="12" cy="9" r="6"/><path d="M8.5 14 7 21l5-3 5 3-1.5-7"/>',
  people: '<circle cx="9" cy="8" r="4"/><path d="M2 21a7 7 0 0 1 14 0M16 4a4 4 0 0 1 0 8m3 3a7 7 0 0 1 3 6"/>',
  actions: '<path d="M5 3h14v18H5zm4 5h6m-6 4h6m-6 4h3"/>',
  alarms: '<path d="M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zm4 5h4"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  back: '<path d="m14 6-6 6 6 6"/>',
  filter: '<path d="M4 5h16l-6 7v7l-4-2v-5z"/>',
} as const

export type IconName = keyof typeof SHAPES

/** Beside a text that says the same: screen readers leave it out. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${new Html(SHAPES[name])}</svg>`
}

/** The mark: a doorway, and in it a letter. `icon.svg` is the same for tabs of the browser. */
export const MARK = new Html(
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="M6 28V14a10 10 0 0 1 20 0v14z"/><path class="letter" d="M10 16h12v8H10zl6 5 6-5"/></svg>',
)
