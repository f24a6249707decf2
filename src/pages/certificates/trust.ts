import type { Answer } from '../../api/calls.ts'
import type { trustDiffSchema } from '../../api/certificates/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { optionsOf, realmOf } from '../../domain/realm.ts'
import { ACTIVATIONS } from '../../domain/trust.ts'
import { plural, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { jsonOf } from '../frame/answers.ts'
import type { FormAction, Page, PageRequest, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { select } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { environmentOptions, realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { table } from '../parts/table.ts'
import { limitOf, timeOf } from '../parts/time.ts'

const ACTIVATION_TEXTS: Readonly<Record<(typeof ACTIVATIONS)[number], Said>> = {
  instead: say`replace the active chains`,
  beside: say`join the active chains`,
}

const CHANGES: Readonly<Record<ChangeView['change'], Said>> = {
  added: say`added`,
  removed: say`removed`,
  kept: say`kept`,
}

const ROLES: Readonly<Record<ChangeView['role'], Said>> = {
  issuing: say`issues callers`,
  intermediate: say`intermediate`,
  root: say`root`,
}

const PROBLEMS: Readonly<Record<LockedOut['problem'], Said>> = {
  caller_is_ca: say`a CA certificate is accepted only if it is an installed issuing certificate that may sign digitally`,
  sibling_issuer: say`no installed certificate has issued it`,
  caller_denied: say`it is denied (deny)`,
  certificate_revoked: say`it, or a certificate above it, is revoked`,
  crl_expired: say`the revocation list of an authority above it is out of date (crlExpired: refuse)`,
  caller_not_allowed: say`no rule under allow matches it`,
  wrong_usage: say`it is not for TLS clients, and the chain has no usage: any`,
  other_environment: say`its issuer belongs to another environment or institution`,
  issuer_out_of_date: say`the certificate that issued it is out of date`,
}

const LIST = '/ui/certificates'
const PATH = `${LIST}/trust`
/** A page stays small whatever it shows; its text counts all. */
const MOST_CALLERS = 100

type TrustDiff = View<typeof trustDiffSchema>
type ChangeView = TrustDiff['changes'][number]
type LockedOut = TrustDiff['callersRefused'][number]

/** What a person typed. */
interface Proposal {
  readonly pem: string
  /** null: the form has no field for it, or a person left it empty. */
  readonly institution: string | null
  readonly environment: string
  readonly activation: string
}

export const TRUST_FORM: Page = {
  path: '/certificates/trust',
  scopes: ['operations.read'],
  render: async (request) =>
    formView(request, { pem: '', institution: null, environment: 'production', activation: 'instead' }, null),
}

/** The module reads a chosen file into the text field, so that the browser sends text only. @param problem of what was typed; null: none */
function formView(
  { t, formToken, institutions }: PageRequest,
  { pem, institution, environment, activation }: Proposal,
  problem: Answer | null,
): PageView {
  const environments = environmentOptions(t)
  const names = [['', t`without a name`] as const, ...institutions.map((name) => [name, name] as const)]
  const activations = ACTIVATIONS.toReversed().map((one) => [one, t.of(ACTIVATION_TEXTS[one])] as const)
  return {
    title: t`Compare a chain`,
    scripts: ['trust-file.js'],
    ...(problem !== null && { status: problem.status }),
    body: html`<p><a href="${LIST}">${t`Certificates`}</a></p>
<h1>${t`Compare a chain`}</h1>
${problem !== null && html`<p class="flash bad" role="alert">${problemHtml(problemOf(problem, t, PATH), t)}</p>`}
<p>${t`Shows what another chain of the service would change, and whom it would lock out. It changes nothing.`}</p>
<form method="post" action="${PATH}">${formToken}
<p><label for="pem">${t`The chain up to its root, as PEM`}</label>
<textarea id="pem" name="pem" rows="10" required spellcheck="false" class="id" placeholder="-----BEGIN CERTIFICATE-----">
${pem}</textarea></p>
<p id="file-field" hidden><label for="file">${t`Or choose a file`}</label>
<input type="file" id="file" accept=".pem,.crt,.cer,.txt" aria-describedby="file-hint" data-too-large="${t`The file is larger than 48 KB, so it is no chain. Choose another one.`}">
<span class="hint" id="file-hint" role="status">${t`The file is read by your browser and shown in the field above.`}</span></p>
<div class="fields">${institutions.length > 0 && select('institution', t`Institution`, { options: names, chosen: institution ?? '' })}
${select('environment', t`Environment`, { options: environments, chosen: environment })}
${select('activation', t`The chain would`, { options: activations, chosen: activation })}</div>
<p><button>${t`Compare`}</button></p>
</form>`,
  }
}

const COMPARE: FormAction = {
  path: '/certificates/trust',
  async submit(request) {
    const { ask, form, t } = request
    const given = (name: string) => form.get(name) ?? ''
    const body = {
      institution: form.get('institution') || null,
      environment: given('environment'),
      pem: given('pem'),
      activation: given('activation'),
    }
    const answer = await ask('diffTrust', { body })
    // The text stays in the form, to be corrected.
    if (answer.status >= 400) return { kind: 'page', view: formView(request, body, answer) }
    return { kind: 'page', view: { title: t`Result of the comparison`, body: resultBody(jsonOf(answer), t) } }
  },
}

export const CERTIFICATE_ACTIONS: readonly FormAction[] = [COMPARE]

function resultBody(diff: TrustDiff, t: Speaker): Html {
  return html`<p><a href="${LIST}">${t`Certificates`}</a></p>
<h1>${t`Result of the comparison`}</h1>
<p role="status">${comparedText(diff, t)}</p>
<h2>${t`Callers of the last 30 days`}</h2>
${callersOf(diff, t)}
<h2>${t`Certificates`}</h2>
${diff.changes.every(({ change }) => change === 'kept') && html`<p>${t`Nothing would be added or removed.`}</p>`}
${changesOf(diff.changes, t)}
<p class="hint">${t`The operator installs the chain on the machine of the gateway: portaria certs trust stage FILE ${{ options: optionsOf(realmOf(diff.institution, diff.environment)) }}, then portaria certs trust activate.`}</p>
<p><a class="button" href="${PATH}">${t`Compare another chain`}</a></p>`
}

function comparedText(diff: TrustDiff, t: Speaker): string {
  const environment = realmText(diff, t)
  if (diff.activeChains === 0) return t`No chain of ${{ environment }} can be used yet.`
  return t.of(
    plural(
      diff.activeChains,
      say`Compared with the active chain of ${{ environment }}. Nothing was changed.`,
      say`Compared with the {count} active chains of ${{ environment }}. Nothing was changed.`,
    ),
  )
}

function callersOf({ callersSeen, callersRefused }: TrustDiff, t: Speaker): Html {
  if (callersSeen === 0)
    return html`<p>${t`No caller of this environment was seen in the last 30 days, so nothing can be said about them.`}</p>`
  if (callersRefused.length === 0)
    return html`<p class="flash good">${t.of(plural(callersSeen, say`The only caller would still be accepted.`, say`All {count} callers would still be accepted.`))}</p>`
  return html`<p class="flash bad">${t`${{ refused: callersRefused.length }} of ${{ seen: callersSeen }} callers would be locked out.`}</p>
${table<LockedOut>(
  t`Callers of the last 30 days`,
  [
    {
      title: t.in('certificate')`Subject`,
      cell: ({ subject }) => html`<span class="id">${shortened(subject, 200)}</span>`,
    },
    { title: t`Why`, cell: ({ problem }) => t.of(PROBLEMS[problem]) },
    { title: t`Last seen`, cell: ({ lastSeenAt }) => timeOf(lastSeenAt) },
    { title: 'SHA-256', cell: ({ fingerprint }) => idOf(fingerprint) },
  ],
  callersRefused.slice(0, MOST_CALLERS),
)}`
}

const TONES: Readonly<Record<ChangeView['change'], Tone>> = { added: 'good', removed: 'bad', kept: null }

function changesOf(changes: readonly ChangeView[], t: Speaker): Html {
  return table<ChangeView>(
    t`Certificates`,
    [
      {
        title: t.in('certificate')`Subject`,
        cell: ({ subject }) => html`<span class="id">${shortened(subject, 200)}</span>`,
      },
      { title: t`Change`, cell: ({ change }) => badge(t.of(CHANGES[change]), TONES[change]) },
      {
        title: t`Role`,
        cell: ({ role, mayCall }) => (mayCall ? t`issues callers, may call itself` : t.of(ROLES[role])),
      },
      {
        title: t`Days left`,
        cell: ({ daysLeft }) => t.of(plural(daysLeft, say`1 day`, say`{count} days`)),
        isNumber: true,
      },
      { title: t`Expires`, cell: ({ notAfter }) => limitOf(notAfter) },
      { title: 'SHA-256', cell: ({ fingerprint }) => idOf(fingerprint) },
    ],
    changes,
  )
}
