import { type BrokenRule, rulesOf } from './broken-rule.ts'

export const BROKEN_WEBHOOKS: readonly BrokenRule[] = [
  ...rulesOf('webhooks/two-requests.ts', 'webhooks/webhooks.test.ts', [
    [
      'an address that answers callers without a certificate is refused',
      'outcome.status < 400))',
      'outcome.status < 100))',
      'names what is wrong with an address',
    ],
    [
      'any 4xx refuses the request without a certificate',
      'outcome.status < 500) return { ok: true }',
      'outcome.status < 404) return { ok: true }',
      'takes 404 to the request without a certificate for a refusal',
    ],
    [
      '5xx to the request without a certificate is a failure',
      'outcome.status < 500) return { ok: true }',
      'outcome.status < 600) return { ok: true }',
      'takes 503 to the request without a certificate for no refusal: erro_de_codigo',
    ],
  ]),
  ...rulesOf('webhooks/webhooks.ts', 'webhooks/removed-webhooks.test.ts', [
    [
      'a deletion gives up the callbacks of its own account only',
      'callback.account === account && ',
      '',
      'gives up nothing that goes to the same URL for another account or interface',
    ],
    [
      'a fault repeats a callback to the address that it has now',
      'faults.finish(called, fault)',
      'faults.finish(callback, fault)',
      'a fault repeats a callback that was under way: none to an address that was deleted',
    ],
  ]),
  ...rulesOf('webhooks/two-requests.ts', 'notifications/notifications.test.ts', [
    [
      'redirects fail',
      'outcome.status < 300',
      'outcome.status < 400',
      'come again by the preset until they are answered with 2xx, redirects being none',
    ],
  ]),
  ...rulesOf('webhooks/retries.ts', 'webhooks/webhooks.test.ts', [
    [
      'the short preset',
      'short: [0, 5, 5,',
      'short: [0, 5, 10,',
      'is tried again in simulated time until it is answered with 2xx',
    ],
  ]),
]

export const BROKEN_ACCESS: readonly BrokenRule[] = [
  ...rulesOf('http/access.ts', 'access.test.ts', [
    [
      'a token works with its own certificate only',
      'token.fingerprint !== fingerprint',
      'token.fingerprint === undefined',
      'a token is good at its own interface and environment, and with its own certificate only',
    ],
    [
      'a token works at its own interface only',
      'token.interface !== rules.interface',
      'token.interface === undefined',
      'a token is good at its own interface and environment, and with its own certificate only',
    ],
    [
      'credentials work with a certificate of their account only',
      'isCertificateOf(rules.applications, application, fingerprint)',
      'isCertificateOf(rules.applications, application, null)',
      'credentials of the other environment, of another account’s certificate and wrong ones are 401',
    ],
    [
      'credentials may be encoded as forms encode them',
      "decodeURIComponent(text.replaceAll('+', ' '))",
      'text',
      'credentials may be encoded as forms encode them, as RFC 6749 asks',
    ],
    [
      'a token request that cannot be read is an error of OAuth',
      "error.status === 400 ? oauthError(400, 'invalid_request')",
      "error.status === 499 ? oauthError(400, 'invalid_request')",
      'the token endpoint takes a form and JSON, and says what is wrong',
    ],
  ]),
  ...rulesOf('http/body.ts', 'access.test.ts', [
    [
      'a byte order mark is no part of JSON',
      ".replace(/^\\uFEFF/, '')",
      '',
      'a byte order mark before a body of JSON is ignored',
    ],
  ]),
  ...rulesOf('http/access.ts', 'registration/openings.test.ts', [
    [
      'a token has no scope that was not granted',
      'scopes.some((one) => !own.includes(one))',
      'scopes.length === 0',
      'is 403 where its scopes do not reach, and gets no token for another scope',
    ],
  ]),
  ...rulesOf('documents/interface-router.ts', 'access.test.ts', [
    [
      'a caller without an account certificate is cut off',
      'request.socket.destroy()',
      'next()',
      'payment cuts the connection of a caller without an account certificate, or with the other environment’s',
    ],
    [
      'a document has the address at which it was asked for',
      'headers.host ?? ',
      '',
      'an OpenAPI document has the address at which it was asked for',
    ],
  ]),
]
