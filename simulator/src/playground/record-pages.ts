import { type Html, html } from '../http/html.ts'
import { accountsWithSettings, openBankingSettings } from '../open-banking/settings.ts'
import { listPlans } from '../subscriptions/plans.ts'
import { type ControlFormOptions, controlForm } from './control-forms.ts'
import type { Shown } from './frame.ts'
import type { View } from './page.ts'
import { linkTo } from './parts.ts'
import { actionsOf, askRecord, recordOf, recordTable, relatedEndpoints } from './record-parts.ts'

type Json = Readonly<Record<string, unknown>>
type Page = (view: View, id: string) => Promise<Shown>

const siteOf = ({ surroundings, caller }: View) => surroundings.sites[caller.environment]

/** Pages of lists, by section. */
export const RECORD_LISTS: Readonly<Record<string, (view: View) => Promise<Shown>>> = {
  accounts: accountList,
  charges: chargeList,
  subscriptions: subscriptionList,
  carnets: carnetList,
  bills: billList,
  openings: openingList,
  'open-banking': openBankingPage,
}

/** Pages of single records, by section. */
export const RECORD_PAGES: Readonly<Record<string, Page>> = {
  accounts: accountPage,
  charges: chargePage,
  subscriptions: subscriptionPage,
  carnets: carnetPage,
  bills: billPage,
}

async function accountList(view: View): Promise<Shown> {
  const { words } = view
  const accounts = siteOf(view).applications.accounts()
  const rows = accounts.map(({ number, name, document }) => ({ account: number, name, document }))
  return {
    title: words.sections.accounts,
    content: html`${recordTable(view, rows)}${await relatedEndpoints(view, 'accounts')}`,
  }
}

async function accountPage(view: View, number: string): Promise<Shown> {
  const { words } = view
  const record = await askRecord<Json & { instant_payment: boolean; applications: readonly { client_id: string }[] }>(
    view,
    'showAccount',
    { number },
  )
  const { movements } = await askRecord<{ movements: readonly Json[] }>(view, 'listMovements', { number })
  const params = { number }
  const refuse = (refused: boolean) =>
    controlForm(view, 'refuseCertificates', {
      params,
      isFixed: true,
      body: { refused },
      title: refused ? words.actions.refuseCertificates : words.actions.acceptCertificates,
    })
  const { instant_payment: on, applications } = record
  return {
    title: `${words.records.account} ${number}`,
    content: html`${recordOf(view, record)}
${actionsOf(view, [
  controlForm(view, 'setBalance', { params, title: words.actions.setBalance }),
  controlForm(view, 'createMovement', { params, title: words.actions.createMovement }),
  controlForm(view, 'setBlocks', { params, title: words.actions.setBlocks, body: { judicial: 0, med: 0 } }),
  controlForm(view, 'setInstantPayment', {
    params,
    isFixed: true,
    body: { on: !on },
    title: on ? words.actions.instantPaymentOff : words.actions.instantPaymentOn,
  }),
  refuse(true),
  refuse(false),
  ...applications.flatMap(({ client_id: clientId }) => [
    controlForm(view, 'expireTokens', { isFixed: true, body: { clientId }, title: words.actions.expireTokens }),
  ]),
])}
<h2>${words.records.movements}</h2>${recordTable(view, movements.toReversed())}
${await relatedEndpoints(view, 'accounts')}`,
  }
}

async function chargeList(view: View): Promise<Shown> {
  const { words } = view
  const { charges } = await askRecord<{ charges: readonly Json[] }>(view, 'listCharges')
  return {
    title: words.sections.charges,
    content: html`${recordTable(view, charges.toReversed())}
${actionsOf(view, [
  controlForm(view, 'createCharges', {
    title: words.actions.createCharges,
    body: { count: 10, value: 15_010 },
  }),
  controlForm(view, 'createCard', { title: words.actions.createCard, body: { brand: 'visa', outcome: 'paid' } }),
  controlForm(view, 'payInstantPaymentCode', { title: words.actions.payCode }),
])}
${await relatedEndpoints(view, 'charges')}`,
  }
}

type ChargeRecord = Json & {
  readonly status: string
  readonly payment: { readonly method: string; readonly instant_payment_code?: string | null } | null
}

async function chargePage(view: View, id: string): Promise<Shown> {
  const { words, caller } = view
  const record = await askRecord<ChargeRecord>(view, 'showCharge', { id })
  const { payment, status } = record
  const button = (operation: string, title: string, options: ControlFormOptions = {}) =>
    controlForm(view, operation, { params: { id }, title, isFixed: true, ...options })
  const isBillet = payment?.method === 'banking_billet'
  const isWaiting = status === 'waiting' || status === 'unpaid'
  const code = payment?.instant_payment_code
  return {
    title: `${words.records.charge} ${id}`,
    content: html`${isBillet && caller.environment === 'sandbox' ? html`<p class="hint">${words.records.sandboxBillet}</p>` : null}
${actionsOf(view, [
  isBillet && isWaiting ? button('payBillet', words.actions.payBillet, { body: {} }) : null,
  isBillet && isWaiting ? button('printBillet', words.actions.printBillet) : null,
  typeof code === 'string'
    ? controlForm(view, 'payInstantPaymentCode', { isFixed: true, body: { code }, title: words.actions.payCode })
    : null,
  payment?.method === 'credit_card' && isWaiting ? button('confirmCardPayment', words.actions.confirmCard) : null,
  payment?.method === 'credit_card' && isWaiting ? button('refuseCardPayment', words.actions.refuseCard) : null,
  ['waiting', 'link'].includes(status) ? button('expireCharge', words.actions.expire) : null,
  advanceMonth(view),
])}
${recordOf(view, record)}
${await relatedEndpoints(view, 'charges')}`,
  }
}

/** As many days as lead to the same day of the next month. */
export function advanceMonth(view: View): Html {
  const now = new Date(siteOf(view).clock.now())
  const days = Math.round(
    (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()) -
      Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())) /
      86_400_000,
  )
  return controlForm(view, 'advanceClock', { isFixed: true, body: { by: `${days}d` }, title: view.words.actions.month })
}

async function subscriptionList(view: View): Promise<Shown> {
  const { words, caller } = view
  const { subscriptions } = await askRecord<{ subscriptions: readonly Json[] }>(view, 'listSubscriptions')
  const plans = listPlans(siteOf(view), caller.application.account).map(({ id, name, interval, repeats }) => ({
    plan_id: id,
    name,
    interval,
    repeats,
  }))
  return {
    title: words.sections.subscriptions,
    content: html`<h2>${words.records.plans}</h2>${recordTable(view, plans)}
<h2>${words.records.subscriptions}</h2>${recordTable(view, subscriptions.toReversed())}
${actionsOf(view, [advanceMonth(view)])}
${await relatedEndpoints(view, 'subscriptions')}`,
  }
}

async function subscriptionPage(view: View, id: string): Promise<Shown> {
  const record = await askRecord(view, 'showSubscription', { id })
  return {
    title: `${view.words.records.subscription} ${id}`,
    content: html`${actionsOf(view, [advanceMonth(view)])}${recordOf(view, record)}${await relatedEndpoints(view, 'subscriptions')}`,
  }
}

async function carnetList(view: View): Promise<Shown> {
  const { carnets } = await askRecord<{ carnets: readonly Json[] }>(view, 'listCarnets')
  return {
    title: view.words.sections.carnets,
    content: html`${recordTable(view, carnets.toReversed())}${await relatedEndpoints(view, 'carnets')}`,
  }
}

async function carnetPage(view: View, id: string): Promise<Shown> {
  const record = await askRecord(view, 'showCarnet', { id })
  return {
    title: `${view.words.records.carnet} ${id}`,
    content: html`${actionsOf(view, [advanceMonth(view)])}${recordOf(view, record)}${await relatedEndpoints(view, 'carnets')}`,
  }
}

/** Without the terms and payments, which the page of the bill has. */
async function billList(view: View): Promise<Shown> {
  const { words } = view
  const bills = await askRecord<readonly Json[]>(view, 'listBills')
  const payments = await askRecord<readonly Json[]>(view, 'listPayments')
  const rows = bills.toReversed().map(({ codBarras, kind, amount, dueDate }) => ({ codBarras, kind, amount, dueDate }))
  return {
    title: words.sections.bills,
    content: html`${recordTable(view, rows)}
${actionsOf(view, [controlForm(view, 'createBill', { title: words.actions.createBill })])}
<h2>${words.records.payments}</h2>${recordTable(view, payments.toReversed(), (payment) => paymentActions(view, payment))}
${await relatedEndpoints(view, 'bills')}`,
  }
}

function paymentActions(view: View, { idPagamento, status }: Json): Html {
  const { words } = view
  const params = { idPagamento: String(idPagamento) }
  const button = (operation: string, title: string, body?: object) =>
    controlForm(view, operation, { params, isFixed: true, title, ...(body !== undefined && { body }) })
  const isOpen = ['AGENDADO', 'EM_PROCESSAMENTO', 'EXECUTADO'].includes(String(status))
  const arrival = linkTo(view.link(`/first-payment/${idPagamento}`), words.records.arrival)
  if (!isOpen) return arrival
  return html`${arrival}${button('settlePayment', words.actions.settle)}${button('failPayment', words.actions.fail, {})}${status === 'AGENDADO' ? button('cancelPayment', words.actions.cancel, {}) : null}`
}

async function billPage(view: View, codBarras: string): Promise<Shown> {
  const { words } = view
  const record = await askRecord<Json & { payments: readonly Json[] }>(view, 'showBill', { codBarras })
  return {
    title: `${words.records.bill} ${codBarras}`,
    content: html`${actionsOf(view, [
      controlForm(view, 'updateBill', {
        params: { codBarras },
        title: words.actions.updateBill,
        body: { unknown: true },
      }),
      ...record.payments.map((payment) => paymentActions(view, payment)),
    ])}${recordOf(view, record)}${await relatedEndpoints(view, 'bills')}`,
  }
}

async function openingList(view: View): Promise<Shown> {
  const { words } = view
  const { openings } = await askRecord<{ openings: readonly Json[] }>(view, 'listOpenings')
  const { entries } = await askRecord<{ entries: readonly Json[] }>(view, 'listRegistry')
  const { messages } = await askRecord<{ messages: readonly Json[] }>(view, 'listOutbox')
  const rows = openings.toReversed()
  const shown = rows.map(({ scopes: _scopes, ...opening }) => opening)
  return {
    title: words.sections.openings,
    content: html`${recordTable(view, shown, (opening) => openingActions(view, opening))}
${actionsOf(view, [
  controlForm(view, 'advanceClock', { isFixed: true, body: { by: '2m' }, title: words.actions.minutes }),
  controlForm(view, 'setRegistryEntry', { title: words.actions.setRegistry, body: { active: true } }),
])}
<h2>${words.records.registry}</h2>${recordTable(view, entries, ({ document }) =>
      controlForm(view, 'deleteRegistryEntry', {
        params: { document: String(document) },
        isFixed: true,
        isDanger: true,
        title: words.actions.remove,
      }),
    )}
<h2>${words.records.outbox}</h2>${recordTable(view, messages.toReversed())}
${await relatedEndpoints(view, 'openings')}`,
  }
}

function openingActions(view: View, { identificador, state }: Json): Html {
  const { words } = view
  const params = { identificador: String(identificador) }
  if (state !== 'requested') return html``
  return html`${controlForm(view, 'acceptOpening', { params, isFixed: true, body: {}, title: words.actions.accept })}${controlForm(view, 'refuseOpening', { params, isFixed: true, title: words.actions.refuse })}`
}

async function openBankingPage(view: View): Promise<Shown> {
  const { words } = view
  const site = siteOf(view)
  const rows = accountsWithSettings(site).map((account) => ({ account, ...openBankingSettings(site, account) }))
  return {
    title: words.sections['open-banking'],
    content: html`${recordTable(view, rows)}
${actionsOf(view, [controlForm(view, 'sendOpenBankingCallback', { title: words.actions.sendOpenBanking, body: {} })])}
<p>${linkTo(view.link('/callbacks?interface=open-banking'), words.sections.callbacks)}</p>
${await relatedEndpoints(view, 'open-banking')}`,
  }
}
