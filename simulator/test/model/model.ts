import { dateAt, midnightOf, nextBusinessDay, plusMonths, secondOfDay } from './calendar.ts'

/** One status change, as its notification must tell. */
export interface Told {
  readonly type: string
  readonly charge: ModelCharge | null
  readonly ownerId: number | null
  readonly previous: string | null
  readonly current: string
  readonly customId: string | null
  readonly at: number
  readonly value?: number
  readonly receivedByBankAt?: string
}

/** What shares a notification token: a charge alone, or a subscription or carnet with its charges. */
export interface Topic {
  url: string | null
  customId: string | null
  readonly told: Told[]
}

export interface Discount {
  readonly type: 'currency' | 'percentage'
  readonly value: number
  readonly until_date: string
}

export interface Owner {
  readonly kind: 'subscription' | 'carnet'
  readonly id: number
  readonly charges: ModelCharge[]
  readonly topic: Topic
  status: string
}

export interface ModelCharge {
  /** null: a cycle made it, and the simulator was not asked yet. */
  id: number | null
  readonly total: number
  readonly owner: Owner | null
  readonly topic: Topic
  /** Of this charge: they can differ from those of its owner. */
  url: string | null
  customId: string | null
  status: string
  method: 'banking_billet' | 'credit_card' | null
  setAt: number
  dueDate: string | null
  linkDate: string | null
  outcome: 'paid' | 'unpaid'
  isPrinted: boolean
  discount: Discount | null
  paid: { readonly cents: number; readonly on: string } | null
}

export interface ModelPlan {
  readonly id: number
  name: string
  readonly interval: number
  readonly repeats: number | null
  isDeleted: boolean
}

export interface Choice {
  readonly method: 'banking_billet' | 'credit_card'
  readonly dueDate: string
  readonly outcome: 'paid' | 'unpaid'
  readonly discount: Discount | null
}

export interface ModelSubscription extends Owner {
  readonly kind: 'subscription'
  readonly plan: ModelPlan
  readonly total: number
  choice: Choice | null
  first: string
  /** Number of the next charge; null: there is none. */
  next: number | null
}

export interface ModelPayment {
  readonly id: string
  readonly bill: ModelBill
  readonly amount: number
  readonly day: string
  status: string
}

export interface ModelBill {
  readonly code: string
  readonly amount: number
  readonly payments: ModelPayment[]
  isDetailed: boolean
}

interface NewSubscription {
  readonly id: number
  readonly chargeId: number
  readonly total: number
  readonly topic: Topic
}

interface NewCarnet extends Omit<NewSubscription, 'chargeId'> {
  readonly chargeIds: readonly number[]
  /** Of the first parcel. */
  readonly dueDate: string
}

export interface ModelMovement {
  readonly kind: string
  readonly cents: number
  /** After it. */
  readonly balance: number
  readonly isOfBill: boolean
  /** null: the simulator was not asked yet. */
  id: number | null
  /** Cents that reversals and refunds gave back. */
  givenBack: number
}

interface Due {
  readonly at: number
  readonly run: () => void
}

const OPENING_BALANCE = 100_000_000

/** The service as the documents tell it: statuses, amounts and balances, without any code of the simulator. */
export class Model {
  readonly charges: ModelCharge[] = []
  readonly subscriptions: ModelSubscription[] = []
  readonly carnets: Owner[] = []
  readonly plans: ModelPlan[] = []
  readonly bills: ModelBill[] = []
  readonly payments: ModelPayment[] = []
  readonly topics: Topic[] = []
  readonly keys: string[] = []
  readonly movements: ModelMovement[] = []
  /** Callbacks of payments: `id previous current`. */
  readonly paymentCalls: string[] = []
  /** Notifications that were sent, by their path. */
  readonly calls: { readonly path: string; readonly told: Told }[] = []
  readonly isProduction: boolean
  balance = OPENING_BALANCE
  /** In cents; they cannot be spent. */
  blocked = 0
  now: number
  #due: Due[] = []

  constructor(isProduction: boolean, now: number) {
    this.isProduction = isProduction
    this.now = now
  }

  get today(): string {
    return dateAt(this.now)
  }

  get available(): number {
    return Math.max(0, this.balance - this.blocked)
  }

  /** Everything that happens until then, in the order of its times. */
  advance(ms: number): void {
    const end = this.now + ms
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#due.splice(this.#due.indexOf(next), 1)
      this.now = Math.max(this.now, next.at)
      next.run()
    }
    this.now = end
  }

  #next(end: number): Due | undefined {
    return this.#due.filter(({ at }) => at <= end).toSorted((one, two) => one.at - two.at)[0]
  }

  #at(at: number, run: () => void): void {
    this.#due.push({ at, run })
  }

  topic(url: string | null, customId: string | null): Topic {
    const topic = { url, customId, told: [] }
    this.topics.push(topic)
    return topic
  }

  // Charges

  addCharge(
    total: number,
    topic: Topic,
    owner: Owner | null,
    id: number | null,
    customId = topic.customId,
  ): ModelCharge {
    const charge: ModelCharge = {
      id,
      total,
      owner,
      topic,
      url: topic.url,
      customId,
      status: '',
      method: null,
      setAt: 0,
      dueDate: null,
      linkDate: null,
      outcome: 'paid',
      isPrinted: false,
      discount: null,
      paid: null,
    }
    this.charges.push(charge)
    owner?.charges.push(charge)
    this.become(charge, 'new')
    return charge
  }

  become(charge: ModelCharge, status: string): void {
    const previous = charge.status === '' ? null : charge.status
    charge.status = status
    const { owner, paid } = charge
    const value = status === 'paid' && paid !== null ? { value: paid.cents, receivedByBankAt: paid.on } : {}
    const type = owner === null ? 'charge' : `${owner.kind}_charge`
    const told = { type, charge, ownerId: owner?.id ?? null, previous, current: status, customId: charge.customId }
    this.#tell(charge.topic, charge.url, { ...told, at: this.now, ...value })
    if (owner?.kind === 'carnet') this.#updateCarnet(owner)
  }

  becomeOwner(owner: Owner, status: string): void {
    const previous = owner.status === '' ? null : owner.status
    owner.status = status
    const { url, customId } = owner.topic
    const told = { type: owner.kind, charge: null, ownerId: owner.id, previous, current: status, customId }
    this.#tell(owner.topic, url, { ...told, at: this.now })
  }

  #tell(topic: Topic, url: string | null, told: Told): void {
    topic.told.push(told)
    if (url !== null) this.calls.push({ path: new URL(url).pathname, told })
  }

  link(charge: ModelCharge, date: string, discount: Discount | null | undefined): void {
    charge.linkDate = date
    if (discount !== undefined) charge.discount = discount
    if (charge.status !== 'link') this.become(charge, 'link')
    this.#at(midnightOf(plusOne(date)), () => {
      if (charge.status === 'link' && charge.linkDate === date) this.become(charge, 'expired')
    })
  }

  billet(charge: ModelCharge, dueDate: string, discount: Discount | null): void {
    Object.assign(charge, { method: 'banking_billet', dueDate, discount, setAt: this.now })
    this.become(charge, 'waiting')
    this.#at(midnightOf(plusOne(dueDate)), () => {
      if (charge.status === 'waiting') this.become(charge, 'unpaid')
    })
  }

  card(charge: ModelCharge, outcome: 'paid' | 'unpaid', discount: Discount | null): void {
    Object.assign(charge, { method: 'credit_card', outcome, discount, setAt: this.now })
    this.become(charge, 'waiting')
    this.#at(this.now + 5000, () => {
      if (charge.status !== 'waiting') return
      if (outcome === 'unpaid') this.become(charge, 'unpaid')
      else if (!this.isProduction) this.pay(charge, dateAt(charge.setAt))
    })
  }

  pay(charge: ModelCharge, on: string): void {
    const { total, discount } = charge
    const off = discount === null || on > discount.until_date ? 0 : discountOf(discount, total)
    const cents = Math.max(0, total - off)
    charge.paid = { cents, on }
    this.become(charge, 'paid')
    const isSandboxCard = !this.isProduction && charge.method === 'credit_card'
    if (cents > 0 && !isSandboxCard) this.move('transferenciaRecebida', cents)
  }

  // Subscriptions

  subscribe(plan: ModelPlan, { id, chargeId, total, topic }: NewSubscription): void {
    const subscription: ModelSubscription = {
      kind: 'subscription',
      id,
      plan,
      total,
      charges: [],
      topic,
      status: '',
      choice: null,
      first: '',
      next: null,
    }
    this.subscriptions.push(subscription)
    this.becomeOwner(subscription, 'new')
    this.addCharge(total, topic, subscription, chargeId)
  }

  activate(subscription: ModelSubscription, choice: Choice, trialDays: number): void {
    Object.assign(subscription, { choice, next: 1, first: dateAt(this.now + trialDays * 86_400_000) })
    this.becomeOwner(subscription, 'active')
    if (trialDays === 0) this.#issue(subscription)
    else this.#plan(subscription)
  }

  cancel(subscription: ModelSubscription): void {
    for (const charge of subscription.charges) if (charge.status === 'new') this.become(charge, 'canceled')
    subscription.next = null
    this.becomeOwner(subscription, 'canceled')
  }

  nextDates({ plan, next, first, choice }: ModelSubscription): { execution: string | null; dueDate: string | null } {
    if (next === null || plan.isDeleted || choice === null) return { execution: null, dueDate: null }
    const months = (next - 1) * plan.interval
    const dueDate = choice.method === 'banking_billet' ? plusMonths(choice.dueDate, months) : null
    return { execution: plusMonths(first, months), dueDate }
  }

  #plan(subscription: ModelSubscription): void {
    const { execution } = this.nextDates(subscription)
    const number = subscription.next
    if (execution === null) return
    this.#at(midnightOf(execution), () => {
      if (subscription.next === number && !subscription.plan.isDeleted) this.#issue(subscription)
    })
  }

  #issue(subscription: ModelSubscription): void {
    const { choice, next, plan, charges, total, topic } = subscription
    if (choice === null || next === null) return
    const charge = charges[next - 1] ?? this.addCharge(total, topic, subscription, null)
    const months = (next - 1) * plan.interval
    const discount = choice.discount && {
      ...choice.discount,
      until_date: plusMonths(choice.discount.until_date, months),
    }
    if (charge.status === 'new' && choice.method === 'credit_card') this.card(charge, choice.outcome, discount)
    else if (charge.status === 'new') this.billet(charge, plusMonths(choice.dueDate, months), discount)
    const isLast = plan.repeats !== null && next >= plan.repeats
    subscription.next = isLast ? null : next + 1
    if (isLast) this.becomeOwner(subscription, 'expired')
    else this.#plan(subscription)
  }

  // Carnets

  carnet({ id, chargeIds, total, dueDate, topic }: NewCarnet): void {
    const carnet: Owner = { kind: 'carnet', id, charges: [], topic, status: '' }
    this.carnets.push(carnet)
    this.becomeOwner(carnet, 'up_to_date')
    for (const chargeId of chargeIds) this.addCharge(total, topic, carnet, chargeId)
    for (const [index, charge] of carnet.charges.entries()) this.billet(charge, plusMonths(dueDate, index), null)
  }

  #updateCarnet(carnet: Owner): void {
    const statuses = carnet.charges.map(({ status }) => status)
    const isFinished = statuses.every((status) => status === 'paid' || status === 'canceled')
    const status = isFinished ? 'finished' : statuses.includes('unpaid') ? 'unpaid' : 'up_to_date'
    if (status !== carnet.status) this.becomeOwner(carnet, status)
  }

  // Bills

  /** The day of a payment that is asked for now; null: it is refused. */
  paymentDay(date: string): string | null {
    if (date < this.today) return null
    const day = nextBusinessDay(date)
    return day === this.today && secondOfDay(this.now) > 22 * 3600 ? null : day
  }

  requestPayment(id: string, bill: ModelBill, day: string): void {
    const payment: ModelPayment = { id, bill, amount: bill.amount, day, status: 'CRIADO' }
    bill.payments.push(payment)
    this.payments.push(payment)
    if (day === this.today) return this.#process(payment)
    this.setPayment(payment, 'AGENDADO')
    this.#at(midnightOf(day) + 8 * 3_600_000, () => {
      if (payment.status === 'AGENDADO') this.#process(payment)
    })
  }

  setPayment(payment: ModelPayment, status: string): void {
    this.paymentCalls.push(`${payment.id} ${payment.status} ${status}`)
    payment.status = status
  }

  #process(payment: ModelPayment): void {
    this.setPayment(payment, 'EM_PROCESSAMENTO')
    this.#at(this.now + 30_000, () => {
      if (payment.status === 'EM_PROCESSAMENTO') this.#execute(payment)
    })
  }

  #execute(payment: ModelPayment): void {
    if (this.available < payment.amount) return this.setPayment(payment, 'NAO_REALIZADO')
    this.move('transferenciaEnviada', payment.amount, true)
    this.setPayment(payment, 'EXECUTADO')
    this.#at(this.now + 60_000, () => {
      if (payment.status === 'EXECUTADO') this.setPayment(payment, 'LIQUIDADO')
    })
  }

  settle(payment: ModelPayment): void {
    if (payment.status === 'AGENDADO') this.#process(payment)
    if (payment.status === 'EM_PROCESSAMENTO') this.#execute(payment)
    if (payment.status === 'EXECUTADO') this.setPayment(payment, 'LIQUIDADO')
  }

  fail(payment: ModelPayment): void {
    if (payment.status === 'EXECUTADO') this.move('estornoTransferenciaEnviada', payment.amount, true)
    this.setPayment(payment, 'NAO_REALIZADO')
  }

  // Account

  move(kind: string, cents: number, isOfBill = false): void {
    this.balance += DEBITS.includes(kind) ? -cents : cents
    this.movements.push({ kind, cents, balance: this.balance, isOfBill, id: null, givenBack: 0 })
  }
}

export const DEBITS: readonly string[] = [
  'transferenciaEnviada',
  'tarifaPixEnviado',
  'pixEnviadoChave',
  'pixDevolucaoEnviada',
]

const plusOne = (date: string): string => dateAt(midnightOf(date) + 86_400_000)

/** Percentages are in hundredths; parts of a cent are dropped. */
function discountOf({ type, value }: Discount, total: number): number {
  return type === 'currency' ? value : Math.floor((total * value) / 10_000)
}
