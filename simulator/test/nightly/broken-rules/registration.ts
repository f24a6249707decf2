import { type BrokenRule, rulesOf } from './broken-rule.ts'

export const BROKEN_REGISTRATION: readonly BrokenRule[] = [
  ...rulesOf('registration/opening-checks.ts', 'registration/opening-requests.test.ts', [
    [
      'two calendar days after a refusal',
      'DAYS_AFTER_REFUSAL = 2',
      'DAYS_AFTER_REFUSAL = 1',
      'after a refusal is possible from the beginning of the second day, local time',
    ],
    [
      'an end client is of age',
      'birth > yearsBefore(today, ADULT_YEARS)',
      'birth >= yearsBefore(today, ADULT_YEARS)',
      'the birthday that makes somebody of age is that of the local day',
    ],
    [
      'the webhook comes first, of the same account',
      "webhook.interface === 'registration' && webhook.account === account",
      "webhook.interface === 'registration'",
      'without a registered webhook of the same account a request is 412 webhook_nao_cadastrado',
    ],
    [
      'scopes are the integrator’s own',
      'foreign.length > 0',
      'foreign.length > 15',
      'a scope that the integrator does not have is 403',
    ],
  ]),
  ...rulesOf('registration/openings.ts', 'registration/openings.test.ts', [
    [
      'a refusal has an event of its own',
      "'conta_recusada_pelo_cliente_final'",
      "'conta_aberta_pelo_cliente_final'",
      'conta_recusada_pelo_cliente_final arrives at once, at every registered URL',
    ],
    [
      'an account of a company belongs to the company',
      'document: endClient.cnpj ?? endClient.cpf',
      'document: endClient.cpf',
      'who has no account opens a new one, of the company where one is linked',
    ],
  ]),
  ...rulesOf('registration/opening-endpoints.ts', 'registration/openings.test.ts', [
    [
      'conta_em_processamento until the account is there',
      "'conta_em_processamento'",
      "'conta_nao_aprovada_ou_recusada '",
      'are 412 conta_em_processamento from the acceptance until the account is there',
    ],
  ]),
]

export const BROKEN_OPEN_BANKING: readonly BrokenRule[] = rulesOf(
  'open-banking/settings.ts',
  'open-banking/open-banking.test.ts',
  [
    [
      'the hash goes behind an existing query',
      'search}&$',
      'search}?$',
      'with hmac goes to /hook?x=1 with the hash abc behind it, and needs no client certificate',
    ],
    [
      'the last address replaces the one before',
      'else move({ ...known, hasHash }, url)',
      "else register({ interface: 'open-banking', account, url })",
      'goes to the last address only',
    ],
    [
      'with hmac no callback follows a request without a certificate',
      "settings.webhookSecurity.type === 'hmac'",
      'false',
      'with hmac no callback follows a request without a certificate, with mtls each one does',
    ],
  ],
)
