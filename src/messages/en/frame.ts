/** What surrounds every page: sign-in, navigation, errors. */
export const FRAME = {
  skip: 'Skip to the content',
  pages: 'Pages',
  times: 'Times are in',
  groups: {
    events: 'Events',
    state: 'State',
    delivery: 'Delivery',
    exceptions: 'Exceptions',
    administration: 'Administration',
  },
  otherLanguage: 'Português',
  reference: 'API reference',
  operator: 'Operator',
  environments: { production: 'production', sandbox: 'sandbox', any: 'all environments' },
  clientId: 'Client id',
  clientIdHint: 'Starts with cli_. Leave it empty to sign in as the operator, with the operator token as the secret.',
  secret: 'Secret',
  signInHint: 'The operator makes an id and a secret for each person.',
  wrongSecret: 'There is no client with this id and secret. Check both, and try again.',
  waitToSignIn: (seconds: number) => `Too many failures. Wait ${seconds} s, then try again.`,
  reasons: {
    ended: 'Your session has ended. Sign in again to continue where you were.',
    lost: 'Your session has ended. The form was not sent, and nothing was changed. Sign in, and send it again.',
    out: 'You are signed out.',
  },
  oidc: {
    signIn: (provider: string) => `Sign in at ${provider}`,
    otherwise: 'Or with a client',
    signedIn: 'You are signed in',
    signedInAs: (name: string, provider: string) => `As ${name}, by ${provider}.`,
    unreachable: (provider: string) =>
      `${provider} cannot be reached now. Try again in a moment, or sign in with the id and secret of a client.`,
    unusable: (provider: string) =>
      `The gateway cannot use ${provider} as it is configured. Report it to the operator, and sign in with the id and secret of a client until it is corrected.`,
    refused: {
      begun: (provider: string, _detail: string) =>
        `This browser has no open sign-in at ${provider}: it took more than 10 minutes, or it is over. Sign in again.`,
      provider: (provider: string, detail: string) =>
        `${provider} refused the sign-in${detail === '' ? '' : ` (${detail})`}. Sign in again, or ask its administrator.`,
      gateway: (provider: string, _detail: string) =>
        `${provider} refuses this gateway, and so each person. Report it to the operator, and sign in with the id and secret of a client until it is corrected.`,
      answer: (provider: string, _detail: string) =>
        `The answer of ${provider} is not valid, so the sign-in was refused. Sign in again. If it repeats, report it to the operator.`,
      role: (provider: string, detail: string) =>
        `${provider} knows you as ${detail}, but none of your roles there opens these pages. Ask the operator for a role.`,
    },
  },
  unreachable:
    'The gateway does not answer. It may be restarting. Nothing was sent, and this page is kept: try again in a moment.',
  fromElsewhere: 'A link led here',
  fromElsewhereText: 'It is not a link of this gateway. Go on if you want to open this page:',
  goOn: 'Go on',
  requestId: 'Request',
  errors: {
    noSuchPage: ['There is no such page', 'Check the address, or use the navigation.'],
    notFound: ['Not found', 'The gateway has nothing with this id. Check it, or search for another value.'],
    forbidden: ['Not allowed', 'You may not see or do this.'],
    scopeMissing: 'Not allowed',
    scopeMissingText: (scopes: string) =>
      `You lack the scope for this page: ${scopes}. The operator can give it to a client.`,
    operatorOnly: ['Not allowed', 'Only the operator may open this page.'],
    refused: ['The gateway refused this', 'Correct what it says, and try again.'],
    gateway: ['The gateway has a problem', 'Nothing was changed by this page. Wait a moment, and load it again.'],
    foreignForm: [
      'This form was not sent by a page of this gateway',
      'Nothing was changed. If a proxy is in between, it must pass on the Host header. Open the page again, and repeat.',
    ],
    staleForm: ['This form is out of date', 'Nothing was changed. Go back, load the page again, and repeat.'],
    notAllowed: ['This address cannot be used like that', 'Nothing was changed. Use the navigation.'],
    unreadable: ['The request cannot be read', 'Nothing was changed. Go back, and try again.'],
    tooLarge: ['The form is too large', 'Nothing was changed. Shorten the text, and try again.'],
  },
} as const
