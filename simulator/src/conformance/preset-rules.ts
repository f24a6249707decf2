import { ACCEPTED, OPEN_FINANCE_ROUTES } from './fixes/answers.ts'
import type { Fix } from './fixes/fix.ts'
import type { Scenario } from './scenario.ts'
import {
  FIELD,
  pixApi,
  RESPONSE_TIMES,
  type Rule,
  rfc,
  rule,
  SILENT_1,
  type Source,
  webhookApi,
  webhookGuide,
} from './sources.ts'

type Rules = Readonly<Record<string, Rule>>

const MUTUAL_TLS = ['certless', 'certless-without-name', 'certless-by-address', 'tls-1-2', 'tls-1-3', 'stored-refused']

/** Of TLS and of networks, wherever the institution is. */
const GENERAL: Rules = {
  'tls-older': rule(rfc(8996, '4'), 'TLS 1.0 and 1.1 must not be used.'),
  ...forEach(
    ['foreign', 'foreign-same-name', 'expired', 'server-only'],
    rule(
      rfc(5280, '6.1'),
      'A certificate counts if its signatures lead to a trusted issuer, it is in date, and its usages cover the purpose. Its names alone prove nothing.',
    ),
  ),
  'session-without-certificate': rule(
    rfc(8446, '2.2'),
    'A resumed session exchanges no certificates again, and some servers then take the caller for a verified one.',
  ),
  ...forEach(
    ['certificate-chain', 'certificate-name', 'certificate-dates'],
    rule(
      rfc(9110, '4.3.4'),
      'A client that calls https verifies the chain, the name and the dates of the certificate of the server.',
    ),
  ),
  'certificate-without-name': rule(
    rfc(6066, '3'),
    'A client may leave the server name out. Without the same certificate, its callbacks fail.',
  ),
}

function onTheWay(source: Source): Rules {
  return forEach(
    ['slow-body', 'cut-connection', 'large-body'],
    rule(
      source,
      'Each callback is answered with success. On a network, a slow body, a cut connection and a large batch happen, and must neither be lost nor stop the callbacks behind them.',
    ),
  )
}

const PIX_CALLBACK = 'paths, PUT /webhook/{chave}, callbacks, {$request.body#/webhookUrl}/pix'

const pixMutualTls = rule(
  pixApi(PIX_CALLBACK),
  'The callback is protected by mutual TLS. A caller without the certificate of the institution has to stay outside.',
)

const pixAnswer = rule(
  pixApi(PIX_CALLBACK),
  '200 says that the notification was received. The specification names no other status.',
)

const INSTANT_PAYMENT: Rules = {
  ...GENERAL,
  ...onTheWay(pixApi(PIX_CALLBACK)),
  ...forEach(['notification', 'redirect'], pixAnswer),
  ...forEach(MUTUAL_TLS, pixMutualTls),
  ...forEach(
    ['test-event', 'test-object', 'test-empty'],
    rule(
      SILENT_1,
      'The specification has no test call. Institutions make one when you register an address, with the body {"evento":"teste_webhook"}, {} or none, and do not accept an address that fails it.',
    ),
  ),
  'batch-root': rule(FIELD, 'The specification sends {"pix":[…]}; some institutions send the bare list.'),
  'answer-status': pixAnswer,
  'answer-time': rule(
    pixApi(PIX_CALLBACK),
    'Each institution sets its own time limit, and the callback is meant to come while the payer waits. 60 s are judged here: ask your institution.',
  ),
  'batch-member': rule(
    pixApi(PIX_CALLBACK),
    'An institution may put several payments of one key into one callback, in the array pix.',
  ),
  suffix: rule(
    pixApi('callbacks of PUT /webhook/{chave}, PUT /webhookrec and PUT /webhookcobr'),
    'The institution calls the registered webhookUrl with /pix, /rec or /cobr behind it.',
  ),
  'suffix-behind-query': rule(
    pixApi(PIX_CALLBACK),
    'The suffix follows the whole webhookUrl, so also the query of one that has a query.',
  ),
  'suffix-double-slash': rule(
    pixApi('components, examples, webhookBody1'),
    'The webhookUrl of the example ends with a slash, and /pix follows it: //pix.',
  ),
}

const openFinanceMutualTls = rule(
  webhookGuide('Segurança'),
  'Every endpoint of the webhook uses mutual TLS, and nothing but the certificate protects it.',
)

const openFinanceAnswer = rule(
  webhookApi('components, responses, 202Webhook'),
  'The only answer of the specification is 202: the notification is accepted, and worked on later.',
)

const openFinanceRepeats = rule(
  webhookGuide('Orientações para as Iniciadoras e Detentoras'),
  'The account holder makes at most three attempts, 10 s and 60 s behind a failed one, and none behind an answered one. A repeated notification needs the same answer, and an answered one does not come again.',
)

const OPEN_FINANCE: Rules = {
  ...GENERAL,
  ...onTheWay(webhookApi('components, responses, 202Webhook')),
  notification: openFinanceAnswer,
  ...forEach(MUTUAL_TLS, openFinanceMutualTls),
  ...forEach(['duplicate', 'stored-before-answer'], openFinanceRepeats),
  suffix: rule(
    webhookGuide('URL'),
    'The account holder calls the registered base address with /open-banking/webhook/v1, the API, its version, the resource and its id behind it. A receiver of an API takes both of its addresses.',
  ),
  redirect: rule(
    webhookGuide('Orientações para as Iniciadoras e Detentoras'),
    'A redirect (3XX) of the registered address is an error.',
  ),
  'answer-status': openFinanceAnswer,
  'answer-time': rule(
    RESPONSE_TIMES,
    'The 95th percentile of interfaces with high frequency is 1500 ms, and the answer comes without work before it. The slowest answer is judged here.',
  ),
}

const PRESET_RULES: Readonly<Record<string, Rules>> = {
  'instant-payment': INSTANT_PAYMENT,
  'open-finance': OPEN_FINANCE,
}

const OPEN_FINANCE_FIXES: Readonly<Record<string, Fix>> = {
  notification: OPEN_FINANCE_ROUTES,
  suffix: OPEN_FINANCE_ROUTES,
  'answer-status': ACCEPTED,
  'answer-echo': ACCEPTED,
}

function forEach(ids: readonly string[], one: Rule): Rules {
  return Object.fromEntries(ids.map((id) => [id, one]))
}

/** @param preset null: no institution is named */
export function ruleOf({ id, why }: Pick<Scenario, 'id' | 'why'>, preset: string | null): Rule {
  return (preset === null ? undefined : PRESET_RULES[preset]?.[id]) ?? why
}

/** @param preset null: no institution is named */
export function fixOf({ id, fix }: Pick<Scenario, 'id' | 'fix'>, preset: string | null): Fix {
  return (preset === 'open-finance' ? OPEN_FINANCE_FIXES[id] : undefined) ?? fix
}
