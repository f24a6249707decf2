import { z } from 'zod'
import { type Html, html } from '../../http/html.ts'
import type { Page, PageAnswer, PageRequest } from '../../http/pages.ts'
import { decimalOf } from '../../rules/money.ts'
import type { Site } from '../../site.ts'
import { amountToPay, linkDiscount, totalOf } from '../amounts.ts'
import { cardProblem, useCard } from '../cards.ts'
import { type Address, type Charge, hasRefusedCard, type PaymentLink } from '../charge.ts'
import { findCharge, todayOf } from '../charges.ts'
import { recordOfPage } from '../page-ids.ts'
import { setBillet, setCard } from '../payments.ts'
import { address, pageCustomer } from '../schema.ts'
import { billetLink } from './billet-page.ts'

type LinkedCharge = Charge & { readonly link: PaymentLink }
type Method = 'banking_billet' | 'credit_card'

const METHODS: readonly Method[] = ['banking_billet', 'credit_card']
const CUSTOMER_FIELDS = { name: 'Name', cpf: 'CPF', email: 'E-mail', phone_number: 'Phone' }
const ADDRESS_FIELDS = {
  street: 'Street',
  number: 'Number',
  complement: 'Complement',
  neighborhood: 'Neighbourhood',
  city: 'City',
  state: 'State',
  zipcode: 'CEP',
}

/** The payment screen behind a link: the payer makes a billet there or pays by card. */
export function paymentPages(site: Site): Page[] {
  function chargeOf({ params }: PageRequest): LinkedCharge | undefined {
    const charge = findCharge(site, recordOfPage(params.pageId))
    return charge?.link && charge.link.pageId === params.pageId ? { ...charge, link: charge.link } : undefined
  }
  return [
    {
      path: '/payment-links/:pageId',
      show(request) {
        const charge = chargeOf(request)
        return charge === undefined ? UNKNOWN : pageFor(site, charge)
      },
      submit(request) {
        const charge = chargeOf(request)
        if (charge === undefined) return UNKNOWN
        if (!takesPayment(site, charge)) return { ...pageFor(site, charge), status: 409 }
        return site.records.transaction(() => pay(site, charge, request.form))
      },
    },
  ]
}

const UNKNOWN: PageAnswer = { status: 404, title: 'Unknown link', content: html`<p>No charge has this link.</p>` }

function pay(site: Site, charge: LinkedCharge, form: URLSearchParams): PageAnswer {
  const method = methodsOf(charge.link).find((one) => one === form.get('method'))
  const customer = pageCustomer.safeParse(fieldsOf(form, CUSTOMER_FIELDS))
  const delivery = deliveryAddressOf(charge.link, form)
  const token = form.get('payment_token')?.trim() ?? ''
  const wrong = [
    ...(method === undefined ? ['method'] : []),
    ...namesOf(customer.error),
    ...namesOf(delivery.error),
    ...(method === 'credit_card' && cardProblem(site, token) !== null ? ['payment_token'] : []),
  ]
  if (wrong.length > 0 || !customer.success || !delivery.success) return pageFor(site, charge, { form, wrong })

  const { conditionalDiscount } = charge
  const link = { ...charge.link, deliveryAddress: delivery.data }
  const choice = { customer: customer.data, message: link.message, conditionalDiscount, link }
  const changed =
    method === 'banking_billet'
      ? setBillet(site, charge, { ...choice, expireAt: link.expire_at, fine: 0, interest: 0 })
      : setCard(site, charge, { ...choice, card: useCard(site, token), installments: 1, address: delivery.data })
  return pageFor(site, { ...changed, link })
}

/** A refused card leaves the link to another payment until its last day. */
function takesPayment(site: Site, charge: LinkedCharge): boolean {
  return charge.status === 'link' || (hasRefusedCard(charge) && todayOf(site) <= charge.link.expire_at)
}

function methodsOf({ payment_method }: PaymentLink): readonly Method[] {
  return METHODS.filter((method) => payment_method === 'all' || payment_method === method)
}

/** What the form has under these names. Browsers send empty fields, which are none. */
function fieldsOf(form: URLSearchParams, names: Readonly<Record<string, string>>): Record<string, string> {
  const given = Object.keys(names).map((name) => [name, form.get(name)?.trim() ?? ''])
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

function deliveryAddressOf(link: PaymentLink, form: URLSearchParams): z.ZodSafeParseResult<Address | null> {
  return link.request_delivery_address ? address.safeParse(fieldsOf(form, ADDRESS_FIELDS)) : z.null().safeParse(null)
}

function namesOf(error: z.ZodError | undefined): string[] {
  return error?.issues.map(({ path }) => String(path[0])) ?? []
}

const STATUS_TEXTS: Readonly<Record<Charge['status'], string>> = {
  new: 'This charge has no payment link.',
  link: '',
  waiting: 'The payment is awaited.',
  paid: 'The charge is paid.',
  unpaid: 'The charge was not paid.',
  canceled: 'The charge was cancelled.',
  expired: 'The link has expired.',
}

interface Given {
  readonly form: URLSearchParams
  /** Names of the fields that are wrong. */
  readonly wrong: readonly string[]
}

function pageFor(site: Site, charge: LinkedCharge, given?: Given): PageAnswer {
  const content = html`<ul>
${charge.items.map(({ name, value, amount }) => html`<li>${amount} × ${name}: R$ ${decimalOf(value)}</li>\n`)}</ul>
<p>Total: R$ ${decimalOf(totalOf(charge))}</p>
${charge.link.message === null ? null : html`<p>${charge.link.message}</p>`}
${charge.status === 'link' ? null : stateOf(site, charge)}
${takesPayment(site, charge) ? formOf(site, charge, given) : null}`
  return { status: given === undefined ? 200 : 400, title: `Charge ${charge.id}`, content }
}

function stateOf(site: Site, { status, payment }: Charge): Html {
  const isBillet = payment?.method === 'banking_billet'
  const billet = isBillet ? html`<p><a href="${billetLink(site, payment)}">Show the billet</a></p>` : null
  return html`<p>${STATUS_TEXTS[status]}</p>
${billet}`
}

function formOf(site: Site, charge: LinkedCharge, given?: Given): Html {
  const { link } = charge
  const wrong = given?.wrong ?? []
  const input = ([name, label]: [string, string]) =>
    html`<p><label>${label} <input name="${name}" value="${given?.form.get(name) ?? ''}"></label></p>\n`
  return html`${wrong.length > 0 ? html`<p role="alert">Check these fields: ${wrong.join(', ')}</p>` : null}
<p>To be paid until ${link.expire_at}.</p>
<form method="post">
${Object.entries(CUSTOMER_FIELDS).map(input)}${addressInputs(link, input)}${methodsOf(link).map(button)}</form>`

  function button(method: Method): Html {
    const amount = decimalOf(amountToPay(charge, linkDiscount(link, method), todayOf(site)))
    if (method === 'banking_billet')
      return html`<p><button name="method" value="banking_billet">Make a billet of R$ ${amount}</button></p>\n`
    const token = input(['payment_token', 'Card token'])
    return html`${token}<p><button name="method" value="credit_card">Pay R$ ${amount} by card</button></p>\n`
  }
}

function addressInputs(link: PaymentLink, input: (field: [string, string]) => Html): Html | null {
  if (!link.request_delivery_address) return null
  return html`<fieldset>
<legend>Delivery address</legend>
${Object.entries(ADDRESS_FIELDS).map(input)}</fieldset>
`
}
