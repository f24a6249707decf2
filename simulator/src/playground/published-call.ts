import type { Filled } from './caller-calls.ts'
import type { Operation } from './operations.ts'
import type { Caller } from './surroundings.ts'

/** The service's published Node package, in the version that the tests use. */
export const PUBLISHED_PACKAGE = 'sdk-node-apis-efi'
export const PUBLISHED_VERSION = '2.0.1'

/** Its methods by operation id. `simulator/test/playground/published-call.process.test.ts` compares them with the package's own table of routes. */
export const PUBLISHED_METHODS: Readonly<Record<string, string>> = {
  createKey: 'pixCreateEvp',
  listKeys: 'pixListEvp',
  removeKey: 'pixDeleteEvp',
  showBalance: 'getAccountBalance',
  putAccountSettings: 'updateAccountConfig',
  listAccountSettings: 'listAccountConfig',
  requestStatement: 'createReport',
  downloadStatement: 'detailReport',
  showBill: 'payDetailBarCode',
  payBill: 'payRequestBarCode',
  showPayment: 'payDetailPayment',
  summarizePayments: 'payListPayments',
  createSimplifiedAccount: 'createAccount',
  showCredentials: 'getAccountCredentials',
  createCertificate: 'createAccountCertificate',
  putOpenBankingSettings: 'ofConfigUpdate',
  showOpenBankingSettings: 'ofConfigDetail',
  createRegistrationWebhook: 'accountConfigWebhook',
  showRegistrationWebhook: 'accountDetailWebhook',
  listRegistrationWebhooks: 'accountListWebhook',
  deleteRegistrationWebhook: 'accountDeleteWebhook',
  putPaymentWebhook: 'payConfigWebhook',
  listPaymentWebhooks: 'payListWebhook',
  deletePaymentWebhook: 'payDeleteWebhook',
  createCharge: 'createCharge',
  showCharge: 'detailCharge',
  createChargeLink: 'defineLinkPayMethod',
  updateChargeLink: 'updateChargeLink',
  payCharge: 'definePayMethod',
  cancelCharge: 'cancelCharge',
  updateChargeMetadata: 'updateChargeMetadata',
  createChargeHistory: 'createChargeHistory',
  createPlan: 'createPlan',
  listPlans: 'listPlans',
  updatePlan: 'updatePlan',
  deletePlan: 'deletePlan',
  createSubscription: 'createSubscription',
  showSubscription: 'detailSubscription',
  cancelSubscription: 'cancelSubscription',
  updateSubscriptionMetadata: 'updateSubscriptionMetadata',
  paySubscription: 'defineSubscriptionPayMethod',
  createSubscriptionHistory: 'createSubscriptionHistory',
  createCarnet: 'createCarnet',
  showCarnet: 'detailCarnet',
  getNotification: 'getNotification',
}

/** What a method of the package takes: parameters, a body, or both (its README, method signatures). */
export function publishedArguments(operation: Operation, { params, query, body }: Filled): readonly unknown[] {
  const hasParameters = operation.parameters.length > 0
  return [...(hasParameters ? [{ ...params, ...query }] : []), ...(body === undefined ? [] : [body])]
}

/** The request as a program; null: the package has no method for it. */
export function publishedCall(caller: Caller, operation: Operation, filled: Filled): string | null {
  const method = PUBLISHED_METHODS[operation.id]
  if (method === undefined) return null
  const { application, environment, files } = caller
  const options = {
    sandbox: environment === 'sandbox',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    certificate: files.p12,
  }
  const given = publishedArguments(operation, filled).map((value) => literalOf(value))
  return [
    `import EfiPay from '${PUBLISHED_PACKAGE}'`,
    '',
    `const client = new EfiPay(${literalOf(options)})`,
    `console.log(await client.${method}(${given.join(', ')}))`,
    '',
  ].join('\n')
}

/** JSON is a literal of JavaScript. Names without quotes are easier to read. */
function literalOf(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^( *)"([A-Za-z_]\w*)": /gm, '$1$2: ')
}
