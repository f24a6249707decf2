import { type Html, html } from '../http/html.ts'
import { memberIn } from './caller-calls.ts'
import { controlForm } from './control-forms.ts'
import type { Shown } from './frame.ts'
import type { View } from './page.ts'
import { factsOf, linkTo, tableOf, timeOf } from './parts.ts'
import { advanceMonth } from './record-pages.ts'
import { actionsOf, askRecord, inWords, membersOf, recordTable, relatedEndpoints } from './record-parts.ts'
import { filled } from './words/words.ts'

type Json = Readonly<Record<string, unknown>>

interface ShownAttempt {
  readonly at: string
  readonly request: Json
  readonly response: { readonly status: number; readonly headers: Json; readonly body: string } | null
  readonly outcome: string
  readonly reason: string | null
  readonly fault: string | null
  readonly timing: Json
}

interface ShownCallback {
  readonly id: number
  readonly interface: string
  readonly account: string
  readonly url: string
  readonly body: string
  readonly createdAt: string
  readonly state: string
  readonly attempts: readonly ShownAttempt[]
}

/** Registered addresses, and the chains of the certificates that callbacks show. */
export async function webhookPage(view: View): Promise<Shown> {
  const { words, caller } = view
  const { webhooks } = await askRecord<{ webhooks: readonly Json[] }>(view, 'listWebhooks')
  const { chains } = await askRecord<{ chains: readonly Json[] }>(view, 'listChains')
  const params = { environment: caller.environment }
  return {
    title: words.sections.webhooks,
    content: html`${recordTable(view, webhooks)}
${actionsOf(view, [
  controlForm(view, 'sendCallback', {
    title: words.actions.sendCallback,
    body: { interface: 'registration', text: '{"evento":"conta_aberta"}' },
  }),
  controlForm(view, 'rotateChain', { params, isFixed: true, title: words.actions.rotate }),
  controlForm(view, 'activateChain', { params, isFixed: true, title: words.actions.activate }),
])}
<h2>${words.records.chains}</h2>${chains.map((one) => factsOf(membersOf(view, one)))}
${await relatedEndpoints(view, 'webhooks')}`,
  }
}

/** The newest callbacks, of one interface or of all. */
export async function callbackList(view: View): Promise<Shown> {
  const { words } = view
  const on = view.query.get('interface')
  const { callbacks } = await askRecord<{ callbacks: readonly ShownCallback[] }>(
    view,
    'listCallbacks',
    {},
    on === null ? {} : { interface: on },
  )
  const names = ['id', 'interface', 'account', 'url', 'createdAt', 'status', 'state']
  const titles = [...names.map((name) => inWords(view, name)), words.records.tries, words.records.lastAnswer]
  const rows = callbacks.toReversed().map(({ id, account, url, createdAt, body, state, attempts, ...callback }) => {
    const last = attempts.at(-1)
    return [
      linkTo(view.link(`/callbacks/${id}`), String(id)),
      callback.interface,
      account,
      html`<code>${url}</code>`,
      timeOf(view, createdAt),
      statusIn(body) ?? '–',
      stateBadge(state),
      attempts.length,
      last === undefined ? '–' : answerOf(last),
    ]
  })
  return {
    title: words.sections.callbacks,
    isLive: true,
    content: html`<div data-region="callbacks">${tableOf(titles, rows, words.records.none)}</div>`,
  }
}

/** What the callback says of its subject; null: a notification of charges has a token alone. */
function statusIn(body: string): string | null {
  const status = memberIn(body, 'status') ?? memberIn(body, 'evento')
  const known = typeof status === 'object' && status !== null && 'atual' in status ? status.atual : status
  return typeof known === 'string' ? known : null
}

function stateBadge(state: string): Html {
  const kind = { delivered: 'good', given_up: 'bad', dropped: 'bad', pending: 'warn' }[state] ?? ''
  return html`<span class="badge ${kind}">${state}</span>`
}

function answerOf({ response, outcome, reason }: ShownAttempt): string {
  if (response !== null) return `HTTP ${response.status}`
  return reason === null ? outcome : `${outcome} (${reason})`
}

/** One callback: its body, and each try with its answer. */
export async function callbackPage(view: View, id: string): Promise<Shown> {
  const { words } = view
  const { attempts, body, ...members } = await askRecord<ShownCallback>(view, 'showCallback', { id })
  const tries = attempts.map(
    (
      attempt,
      index,
    ) => html`<section class="card" aria-labelledby="try-${index + 1}"><h3 id="try-${index + 1}">${filled(words.records.attempt, { number: index + 1 })}: ${answerOf(attempt)}</h3>
${factsOf(membersOf(view, { at: attempt.at, ...attempt.request, fault: attempt.fault, timing: attempt.timing }))}
${attempt.response === null ? null : html`<h4>${words.endpoints.answer}</h4>${factsOf(membersOf(view, attempt.response.headers))}<pre tabindex="0">${attempt.response.body}</pre>`}</section>`,
  )
  return {
    title: `${words.records.callback} ${id}`,
    isLive: members.state === 'pending',
    content: html`<div data-region="callback">${factsOf(membersOf(view, members))}
<h2>${words.endpoints.body}</h2><pre tabindex="0">${body}</pre>
<h2>${words.records.tries}</h2>${tries.length === 0 ? html`<p class="empty">${words.records.none}</p>` : tries}</div>`,
  }
}

export async function clockPage(view: View): Promise<Shown> {
  const { words } = view
  const { now, frozen } = await askRecord<{ now: string; frozen: boolean }>(view, 'showClock')
  const advance = (by: string) =>
    controlForm(view, 'advanceClock', { isFixed: true, body: { by }, title: filled(words.actions.advance, { by }) })
  return {
    title: words.sections.clock,
    content: html`${factsOf([
      [words.records.now, timeOf(view, now)],
      [words.records.state, frozen ? words.records.clockFrozen : words.records.clockRuns],
    ])}
${actionsOf(view, [
  advance('1m'),
  advance('1h'),
  advance('1d'),
  advanceMonth(view),
  controlForm(view, 'setClock', {
    isFixed: true,
    body: { frozen: !frozen },
    title: frozen ? words.actions.run : words.actions.freeze,
  }),
  controlForm(view, 'advanceClock', { title: words.actions.advanceBy }),
  controlForm(view, 'setClock', { title: words.actions.setClock, body: { now } }),
  controlForm(view, 'reset', { isFixed: true, isDanger: true, title: words.actions.reset }),
  controlForm(view, 'expireTokens', { isFixed: true, body: {}, title: words.actions.expireTokens }),
])}`,
  }
}

export async function faultPage(view: View): Promise<Shown> {
  const { words } = view
  const { faults } = await askRecord<{ faults: readonly Json[] }>(view, 'listFaults')
  return {
    title: words.sections.faults,
    content: html`<p>${words.records.faults}</p>
${recordTable(view, faults, ({ id }) =>
  controlForm(view, 'deleteFault', {
    params: { id: String(id) },
    isFixed: true,
    isDanger: true,
    title: words.actions.remove,
  }),
)}
${actionsOf(view, [
  controlForm(view, 'orderFault', {
    isFixed: true,
    title: words.actions.twice,
    body: { on: 'callback', fault: 'duplicate' },
  }),
  controlForm(view, 'orderFault', {
    isFixed: true,
    title: words.actions.serverError,
    body: { on: 'api', fault: 'server_error' },
  }),
  controlForm(view, 'orderFault', {
    title: words.actions.orderFault,
    body: { on: 'callback', fault: 'duplicate', count: 3 },
  }),
  controlForm(view, 'deleteFaults', { isFixed: true, isDanger: true, title: words.actions.removeFaults }),
])}`,
  }
}
