import type { Answer, Ask } from '../../api/calls.ts'
import type { ClientEnvironment } from '../../domain/client.ts'
import type { Scope, ScopeNames } from '../../domain/scopes.ts'
import type { Language } from '../../messages/languages.ts'
import type { Said } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import type { Html } from '../parts/html.ts'
import type { IconName } from '../parts/icon.ts'

/** The person who is signed in. */
export interface Viewer {
  /** Id of the client, or `operator`. */
  readonly id: string
  /** Name of the client; null: the operator. */
  readonly name: string | null
  readonly environment: ClientEnvironment
  /** The operator has every scope. */
  can(scope: Scope): boolean
}

/** What a page gets. */
export interface PageRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly ask: Ask
  /** Says texts in the reader's language. */
  readonly t: Speaker
  readonly language: Language
  readonly viewer: Viewer
  /** The configured kinds of callbacks. */
  readonly kinds: readonly string[]
  /** Names of the configured institutions; empty: none has a name. */
  readonly institutions: readonly string[]
  readonly scopeNames: ScopeNames
  /** A hidden field that every form with method="post" needs. */
  readonly formToken: Html
}

/** A page below /ui. */
export interface Page {
  /** As Express writes it, below /ui: `/events/:id`. */
  readonly path: string
  /** Any of the scopes shows its link and opens it; null: everyone who is signed in; `operator`: only the operator. */
  readonly scopes: readonly Scope[] | 'operator' | null
  render(request: PageRequest): Promise<PageView>
}

/** A page, and its place in the navigation. */
export type PageEntry = Tab | PageOfTab

/** A page with a link in the navigation. */
export interface Tab {
  readonly page: Page
  /** Text of its link. */
  readonly label: Said
  readonly icon: IconName
  readonly group: TabGroup
}

/** A page that others lead to. */
export interface PageOfTab {
  readonly page: Page
  /** Marked in the navigation while this page is shown. */
  readonly tab: Page
}

/** In the order of the navigation. */
export const TAB_GROUPS = ['events', 'state', 'delivery', 'exceptions', 'administration'] as const
export type TabGroup = (typeof TAB_GROUPS)[number]

export function isTab(entry: PageEntry): entry is Tab {
  return 'label' in entry
}

export interface PageView {
  readonly title: string
  readonly body: Html
  /** Modules of src/pages/assets that the page loads beside the common one. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  /** Default 200. */
  readonly status?: number
}

/** A form below /ui that changes something: asks the API once, then leads to a page (303) that shows a message. */
export interface FormAction {
  readonly path: string
  /** It takes seconds, and leads to a page. */
  readonly isLong?: boolean
  submit(request: FormRequest): Promise<FormResult>
}

export interface FormRequest extends PageRequest {
  readonly form: URLSearchParams
}

export type FormResult =
  /** @property location a path below /ui, with its query */
  | {
      readonly kind: 'redirect'
      readonly location: string
      readonly message: string | Html
      readonly isError?: boolean
    }
  | { readonly kind: 'refused'; readonly location: string; readonly answer: Answer }
  /** A page that is shown once, such as one with a new secret. */
  | { readonly kind: 'page'; readonly view: PageView }
