import instantPaymentAnswer from './instant-payment/answer.json' with { type: 'json' }
import instantPayment from './instant-payment/payment.json' with { type: 'json' }
import instantPayments from './instant-payment/payments.json' with { type: 'json' }
import recurrence from './instant-payment/recurrence.json' with { type: 'json' }
import recurringCharge from './instant-payment/recurring-charge.json' with { type: 'json' }
import refund from './instant-payment/refund.json' with { type: 'json' }
import testCall from './instant-payment/test-call.json' with { type: 'json' }
import openFinanceAnswer from './open-finance/answer.json' with { type: 'json' }
import consent from './open-finance/consent.json' with { type: 'json' }
import enrollment from './open-finance/enrollment.json' with { type: 'json' }
import openFinancePayment from './open-finance/payment.json' with { type: 'json' }
import recurringConsent from './open-finance/recurring-consent.json' with { type: 'json' }
import recurringPayment from './open-finance/recurring-payment.json' with { type: 'json' }
import serviceAnswer from './service/answer.json' with { type: 'json' }
import charge from './service/charge.json' with { type: 'json' }
import openBanking from './service/open-banking.json' with { type: 'json' }
import payment from './service/payment.json' with { type: 'json' }
import registration from './service/registration.json' with { type: 'json' }

/** A callback as an institution sends it. */
export interface Fixture {
  /** Behind the address that is registered. */
  readonly path: string
  /** `{uuid}` is a new one for each call. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** What an institution wants for a callback. */
export interface Expected {
  readonly statuses: readonly number[]
  /** Left out: its specification sets no limit. */
  readonly withinMs?: number
  /** Names of request headers that the answer must repeat. */
  readonly echoes?: readonly string[]
}

export interface Institution {
  readonly expected: Expected
  readonly fixtures: Readonly<Record<string, Fixture>>
}

/** By the name of the gateway's preset. The sources of each are in config/institutions/. */
export const INSTITUTIONS: Readonly<Record<string, Institution>> = {
  service: {
    expected: serviceAnswer,
    fixtures: { payment, registration, 'open-banking': openBanking, charge },
  },
  'instant-payment': {
    expected: instantPaymentAnswer,
    fixtures: {
      'test-call': testCall,
      payment: instantPayment,
      payments: instantPayments,
      refund,
      recurrence,
      'recurring-charge': recurringCharge,
    },
  },
  'open-finance': {
    expected: openFinanceAnswer,
    fixtures: {
      consent,
      payment: openFinancePayment,
      enrollment,
      'recurring-consent': recurringConsent,
      'recurring-payment': recurringPayment,
    },
  },
}
