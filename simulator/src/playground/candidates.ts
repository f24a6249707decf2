import { keysOf } from '../account/keys.ts'
import { listStatements } from '../account/statements/statement.ts'
import { storedBills } from '../bills/bill.ts'
import { wasDetailed } from '../bills/detailed.ts'
import { carnetsOf } from '../carnets/carnet-status.ts'
import type { ChargeStatus } from '../charges/charge.ts'
import { listCharges } from '../charges/charges.ts'
import { paidFor, paymentsOf } from '../money/payment.ts'
import { accountsWithSettings } from '../open-banking/settings.ts'
import { openingsOf } from '../registration/openings.ts'
import type { Site } from '../site.ts'
import { listPlans } from '../subscriptions/plans.ts'
import type { SubscriptionStatus } from '../subscriptions/subscription.ts'
import { listSubscriptions } from '../subscriptions/subscriptions.ts'
import type { WebhookInterface } from '../webhooks/callback.ts'

/** What makes a record that an endpoint needs: an endpoint with its filled form, or an operation of the control API. */
export type Preparation =
  | { readonly operation: string }
  | { readonly control: string; readonly body?: object; readonly about?: string }

/** Records that a request has to name, or that have to be there. */
export interface Subject {
  /** Where it names one: a segment of the path or a member of the body; null: nowhere. */
  readonly segment: string | null
  /** What can be named, oldest first. */
  readonly candidates: (site: Site, account: string) => readonly string[]
  /** What makes one, in this order. */
  readonly made: readonly Preparation[]
}

const CREATE_CHARGE: Preparation = { operation: 'createCharge' }
const CREATE_PLAN: Preparation = { operation: 'createPlan' }
const CREATE_SUBSCRIPTION: Preparation = { operation: 'createSubscription' }
const OPEN: Preparation[] = [
  { operation: 'createRegistrationWebhook' },
  { operation: 'createSimplifiedAccount' },
  { control: 'acceptOpening', about: 'identificador', body: {} },
  { control: 'advanceClock', body: { by: '2m' } },
]

function charges(made: readonly Preparation[], ...statuses: readonly ChargeStatus[]): Subject {
  return {
    segment: 'id',
    made,
    candidates: (site, account) =>
      listCharges(site)
        .filter((charge) => charge.account === account && charge.belongsTo === null)
        .filter(({ status }) => statuses.length === 0 || statuses.includes(status))
        .map(({ id }) => String(id)),
  }
}

const plans: Subject = {
  segment: 'id',
  made: [CREATE_PLAN],
  candidates: (site, account) => listPlans(site, account).map(({ id }) => String(id)),
}

function subscriptions(...statuses: readonly SubscriptionStatus[]): Subject {
  return {
    segment: 'id',
    made: [CREATE_PLAN, CREATE_SUBSCRIPTION],
    candidates: (site, account) =>
      listSubscriptions(site)
        .filter((subscription) => subscription.account === account)
        .filter(({ status }) => statuses.length === 0 || statuses.includes(status))
        .map(({ id }) => String(id)),
  }
}

const openings: Subject = {
  segment: 'idContaSimplificada',
  made: OPEN,
  candidates: (site, account) =>
    openingsOf(site)
      .filter(({ integrator, state }) => integrator === account && state === 'open')
      .map(({ id }) => id),
}

function webhooksOf(site: Site, account: string, on: WebhookInterface) {
  return site.webhooks.registered.list().filter((one) => one.account === account && one.interface === on)
}

const registrationWebhooks: Subject = {
  segment: 'identificadorWebhook',
  made: [{ operation: 'createRegistrationWebhook' }],
  candidates: (site, account) => webhooksOf(site, account, 'registration').map(({ id }) => id),
}

const NEW_BILL: Preparation = { control: 'createBill', body: { kind: 'billet', amount: 15_010 } }
const SHOW_BILL: Preparation = { operation: 'showBill' }

const barcodes =
  (isWanted: (site: Site, account: string, barcode: string) => boolean) => (site: Site, account: string) =>
    storedBills(site)
      .list()
      .map(({ barcode }) => barcode)
      .filter((barcode) => isWanted(site, account, barcode))

/** By operation id. */
export const SUBJECTS: Readonly<Record<string, Subject>> = {
  removeKey: { segment: 'chave', candidates: keysOf, made: [{ operation: 'createKey' }] },
  downloadStatement: {
    segment: 'id',
    candidates: (site, account) => listStatements(site, account).map(({ id }) => id),
    made: [{ operation: 'requestStatement' }, { control: 'advanceClock', body: { by: '1m' } }],
  },
  showBill: { segment: 'codBarras', candidates: barcodes(() => true), made: [NEW_BILL] },
  payBill: {
    segment: 'codBarras',
    candidates: barcodes(
      (site, account, barcode) => wasDetailed(site, account, barcode) && paidFor(site, barcode).length === 0,
    ),
    made: [NEW_BILL, SHOW_BILL],
  },
  showPayment: {
    segment: 'idPagamento',
    candidates: (site, account) =>
      paymentsOf(site)
        .list()
        .filter((payment) => payment.account === account)
        .map(({ id }) => String(id)),
    made: [NEW_BILL, SHOW_BILL, { operation: 'payBill' }],
  },
  showRegistrationWebhook: registrationWebhooks,
  deleteRegistrationWebhook: registrationWebhooks,
  deletePaymentWebhook: {
    segment: 'url',
    candidates: (site, account) => webhooksOf(site, account, 'payment').map(({ url }) => url),
    made: [{ operation: 'putPaymentWebhook' }],
  },
  createSimplifiedAccount: { ...registrationWebhooks, segment: null },
  showOpenBankingSettings: {
    segment: null,
    candidates: (site, account) => accountsWithSettings(site).filter((one) => one === account),
    made: [{ operation: 'putOpenBankingSettings' }],
  },
  showCredentials: openings,
  createCertificate: openings,
  showCharge: charges([CREATE_CHARGE]),
  createChargeLink: charges([CREATE_CHARGE], 'new'),
  updateChargeLink: charges([CREATE_CHARGE, { operation: 'createChargeLink' }], 'link'),
  payCharge: charges([CREATE_CHARGE], 'new'),
  cancelCharge: charges([CREATE_CHARGE], 'new', 'waiting', 'unpaid', 'link'),
  updateChargeMetadata: charges([CREATE_CHARGE]),
  createChargeHistory: charges([CREATE_CHARGE]),
  updatePlan: plans,
  deletePlan: plans,
  createSubscription: plans,
  showSubscription: subscriptions(),
  cancelSubscription: subscriptions('new', 'active'),
  updateSubscriptionMetadata: subscriptions(),
  paySubscription: subscriptions('new'),
  createSubscriptionHistory: subscriptions(),
  showCarnet: {
    segment: 'id',
    candidates: (site, account) =>
      carnetsOf(site)
        .list()
        .filter((carnet) => carnet.account === account)
        .map(({ id }) => String(id)),
    made: [{ operation: 'createCarnet' }],
  },
  getNotification: {
    segment: 'token',
    candidates: (site, account) =>
      listCharges(site)
        .filter((charge) => charge.account === account)
        .map(({ notificationToken }) => notificationToken),
    made: [CREATE_CHARGE],
  },
}
