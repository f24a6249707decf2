import { outcomeText } from '../conformance/outcome-texts.ts'
import { messageOf } from '../errors.ts'
import { type Html, html } from '../http/html.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import { firstPaymentDay } from '../rules/cut-offs.ts'
import type { Callback } from '../webhooks/callback.ts'
import { type Filled, memberIn } from './caller-calls.ts'
import type { Shown } from './frame.ts'
import { explain } from './known-errors.ts'
import type { StoredEvent } from './local-gateway.ts'
import type { View } from './page.ts'
import { linkTo, tableOf } from './parts.ts'
import { callOperation, controlStep, isDone, type Step } from './steps.ts'
import { filled, textIn } from './words/words.ts'

const AMOUNT_CENTS = 15_010

export interface FirstPayment {
  readonly steps: readonly Step[]
  /** null: a step failed, which is the last one. */
  readonly idPagamento: string | null
}

/**
 * Registers the local gateway at the real port, where the service makes its two requests, and pays a bill, whose callbacks go there.
 * Every step but the making of the bill and its settlement is a request that an app would make.
 */
export async function sendFirstPayment(view: View): Promise<FirstPayment> {
  const { payment, registration } = view.gateway.addresses()
  const steps: Step[] = []
  const isRegistered =
    (await call('putPaymentWebhook', { body: { url: payment } })) &&
    (await call('createRegistrationWebhook', { body: { webhookUrl: registration } }))
  if (!isRegistered) return { steps, idPagamento: null }
  const bill = await controlStep(view, 'createBill', { body: { kind: 'billet', amount: AMOUNT_CENTS } })
  steps.push(bill)
  const codBarras = String(memberIn(bill.text, 'codBarras'))
  const isPaid =
    (await call('showBill', { params: { codBarras } })) &&
    (await call('payBill', { params: { codBarras }, body: { valor: AMOUNT_CENTS, dataPagamento: paymentDay(view) } }))
  if (!isPaid) return { steps, idPagamento: null }
  const idPagamento = memberIn(steps.at(-1)?.text ?? '', 'idPagamento')
  if (typeof idPagamento !== 'string') return { steps, idPagamento: null }
  steps.push(await controlStep(view, 'settlePayment', { params: { idPagamento } }))
  return { steps, idPagamento }

  /** @returns whether the service did it */
  async function call(id: string, { params = {}, body }: Partial<Filled>): Promise<boolean> {
    const step = await callOperation(view, id, { params, query: {}, body })
    steps.push(step)
    return isDone(step)
  }
}

/** Why the last step failed, with the row of the table of codes. */
export async function failureOf({ surroundings, words }: View, steps: readonly Step[]): Promise<string> {
  const { name = '', status = null, text = '' } = steps.at(-1) ?? {}
  const operation = (await surroundings.operations()).find((one) => one.id === name)
  const row = operation && status !== null ? explain(operation, status, text) : undefined
  return [
    `${name}: ${status ?? words.arrival.noAnswer} ${text}`,
    ...(row === undefined ? [] : [textIn(words, row.when)]),
  ].join(' · ')
}

function paymentDay({ surroundings, caller }: View): CalendarDate {
  const { clock, settings } = surroundings.sites[caller.environment]
  return firstPaymentDay({ kind: 'billet', amountCents: AMOUNT_CENTS, now: clock.now(), zone: settings.timeZone })
}

/** What was done, step by step, with the answers of the service. */
function stepList({ words }: View, steps: readonly Step[]): Html | null {
  if (steps.length === 0) return null
  const items = steps.map((step) => {
    const { name, status, text } = step
    return html`<li><details><summary><code>${name}</code> <span class="badge ${isDone(step) ? 'good' : 'bad'}">${status ?? words.arrival.noAnswer}</span></summary><pre tabindex="0">${text}</pre></details></li>`
  })
  return html`<h2>${words.arrival.steps}</h2><ol>${items}</ol>`
}

/** The callbacks of a payment with their answers, and what the gateway has stored of them. Undefined: the account has no such payment. */
export async function arrivalPage(view: View, idPagamento: string, steps: readonly Step[]): Promise<Shown | undefined> {
  const { words, surroundings, caller, gateway } = view
  const { webhooks } = surroundings.sites[caller.environment]
  const callbacks = webhooks.callbacks
    .list()
    .filter((one) => one.account === caller.application.account && factOf(one)?.identificador === idPagamento)
  if (callbacks.length === 0) return undefined
  const stored = await gateway.eventsOf(idPagamento).catch(messageOf)
  const isOpen = callbacks.some(({ state }) => state === 'pending')
  const isStored = stored === null || (typeof stored !== 'string' && stored.length >= callbacks.length)
  return {
    title: filled(words.arrival.title, { id: idPagamento }),
    isLive: isOpen || !isStored,
    content: html`<p>${words.arrival.introduction}</p>
<div data-region="arrival">${arrived(view, callbacks, stored)}</div>
${stepList(view, steps)}
<p>${linkTo(view.link('/callbacks'), words.arrival.callbacks)}</p>`,
  }
}

function factOf({ body }: Callback): { identificador?: string; status?: { atual?: string } } | null {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** To the page of the gateway about it, where its pages are known. */
function eventLink(id: string, pages: string | null): Html {
  const shown = html`<code>${id}</code>`
  if (pages === null) return shown
  const address = new URL(`events/${encodeURIComponent(id)}`, pages.replace(/\/*$/, '/'))
  return html`<a href="${address.href}">${shown}</a>`
}

function arrived(
  { words, language, gateway }: View,
  callbacks: readonly Callback[],
  stored: readonly StoredEvent[] | string | null,
): Html {
  const rows = callbacks.map((callback) => {
    const status = factOf(callback)?.status?.atual ?? ''
    const answer = callback.attempts.at(-1)?.outcome
    const event = typeof stored === 'object' ? stored?.find((one) => one.status === status) : undefined
    return [
      status,
      html`<code>${callback.url}</code>`,
      answer === undefined ? words.arrival.onItsWay : outcomeText(answer)[language],
      event === undefined
        ? words.arrival.notYet
        : html`<span class="badge good" data-stored="${status}">${words.arrival.isStored}</span> ${eventLink(event.id, gateway.addresses().pages)}`,
    ]
  })
  const titles = [words.arrival.status, words.arrival.address, words.arrival.answer, words.arrival.stored]
  return html`${tableOf(titles, rows, '')}
${stored === null ? html`<p class="flash warn">${words.arrival.noApi}</p>` : null}${typeof stored === 'string' ? html`<p class="flash bad">${words.arrival.failed} ${stored}</p>` : null}`
}
