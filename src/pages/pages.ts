import type { Catalogue } from '../messages/catalogue.ts'
import { SEND_AGAIN } from './event/actions.ts'
import { EVENT, EVENT_DELIVERIES, UNMASK } from './event/event.ts'
import { FIND } from './find/find.ts'
import type { FormAction, Page } from './page.ts'

/** A page, and its place in the navigation. */
export interface PageEntry {
  readonly page: Page
  /** Text of its link; null: other pages lead to it. */
  readonly label: ((words: Catalogue) => string) | null
}

/** Every page, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { page: FIND, label: ({ find }) => find.title },
  { page: EVENT, label: null },
  { page: EVENT_DELIVERIES, label: null },
]

/** Every form. */
export const ACTIONS: readonly FormAction[] = [SEND_AGAIN, UNMASK]
